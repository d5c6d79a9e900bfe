package dev.laneway.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.laneway.testkit.TcpProxy.Direction;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
@DisplayName("TcpProxy")
@Isolated // It measures how long bytes take.
class TcpProxyTest {

    /** Longer than bytes take on this machine; waited for in full only where nothing may come. */
    private static final int SILENCE_MILLIS = 300;

    private ServerSocket server;
    private TcpProxy proxy;
    private Socket client;
    private Socket accepted;

    @BeforeEach
    void connect() throws IOException {
        server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        proxy = TcpProxy.to("127.0.0.1:" + server.getLocalPort());
        client = socket();
        accepted = server.accept();
        accepted.setSoTimeout(20_000);
    }

    @AfterEach
    void close() throws IOException {
        client.close();
        accepted.close();
        proxy.close();
        server.close();
    }

    private Socket socket() throws IOException {
        Socket socket = new Socket();
        socket.connect(address(), 5_000);
        socket.setSoTimeout(20_000);
        return socket;
    }

    private InetSocketAddress address() {
        int colon = proxy.address().indexOf(':');
        return new InetSocketAddress(
                proxy.address().substring(0, colon),
                Integer.parseInt(proxy.address().substring(colon + 1)));
    }

    private Socket sender(Direction direction) {
        return direction == Direction.TO_SERVER ? client : accepted;
    }

    private Socket receiver(Direction direction) {
        return direction == Direction.TO_SERVER ? accepted : client;
    }

    private void send(Direction direction, int... bytes) throws IOException {
        for (int b : bytes) {
            sender(direction).getOutputStream().write(b);
        }
    }

    private int receive(Direction direction) throws IOException {
        return receiver(direction).getInputStream().read();
    }

    private void assertSilent(Direction direction) throws IOException {
        receiver(direction).setSoTimeout(SILENCE_MILLIS);
        assertThatThrownBy(() -> receive(direction)).isInstanceOf(SocketTimeoutException.class);
        receiver(direction).setSoTimeout(20_000);
    }

    private static Duration since(long nanos) {
        return Duration.ofNanos(System.nanoTime() - nanos);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("passes on megabytes unchanged, each way, and then the end of them")
    void passesOn(Direction direction) throws Exception {
        byte[] sent = new byte[5 << 20];
        new Random(1).nextBytes(sent);
        CompletableFuture<Void> sending = CompletableFuture.runAsync(() -> {
            try {
                sender(direction).getOutputStream().write(sent);
                sender(direction).shutdownOutput();
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
        assertThat(receiver(direction).getInputStream().readAllBytes()).isEqualTo(sent);
        sending.get();
        assertThat(proxy.passed(direction)).isEqualTo(sent.length);
        assertThat(proxy.passed(direction.opposite())).isZero();

        // The other way is still open.
        send(direction.opposite(), 7);
        assertThat(receive(direction.opposite())).isEqualTo(7);
        assertThat(proxy.connections()).isEqualTo(1);
        sender(direction.opposite()).close();
        await().until(() -> proxy.connections() == 0);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("a delay holds back each byte, one way only, and not the rate")
    void delays(Direction direction) throws IOException {
        proxy.delay(direction, Duration.ofMillis(400));
        long sent = System.nanoTime();
        for (int i = 0; i < 100; i++) {
            send(direction, i);
        }
        send(direction.opposite(), 1);
        assertThat(receive(direction.opposite())).isEqualTo(1);
        assertThat(since(sent)).isLessThan(Duration.ofMillis(300));
        for (int i = 0; i < 100; i++) {
            assertThat(receive(direction)).isEqualTo(i);
        }
        assertThat(since(sent)).isBetween(Duration.ofMillis(400), Duration.ofSeconds(5));
    }

    @Test
    @DisplayName("a throttle lets so many bytes through in a second, one way only, until it is healed")
    void throttles() throws IOException {
        proxy.throttle(Direction.TO_SERVER, 20_000);
        long sent = System.nanoTime();
        client.getOutputStream().write(new byte[10_000]);
        new DataInputStream(accepted.getInputStream()).readFully(new byte[10_000]);
        assertThat(since(sent)).isBetween(Duration.ofMillis(440), Duration.ofSeconds(5));

        proxy.throttle(Direction.TO_SERVER, 1);
        client.getOutputStream().write(new byte[10_000]);
        proxy.heal();
        long healed = System.nanoTime();
        new DataInputStream(accepted.getInputStream()).readFully(new byte[10_000]);
        assertThat(since(healed)).isLessThan(Duration.ofSeconds(5));
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("a cut in one direction: nothing gets through there and nobody is told; what was sent arrives at last")
    void cuts(Direction direction) throws IOException {
        proxy.cut(direction);
        send(direction, 1, 2);
        assertSilent(direction);
        send(direction.opposite(), 3);
        assertThat(receive(direction.opposite())).isEqualTo(3);
        // A close is not seen either.
        sender(direction).close();
        assertSilent(direction);

        proxy.heal();
        assertThat(receive(direction)).isEqualTo(1);
        assertThat(receive(direction)).isEqualTo(2);
        assertThat(receive(direction)).isEqualTo(-1);
    }

    @Test
    @DisplayName("a connection that is opened while all is cut comes about when it is healed")
    void connectsWhenHealed() throws IOException {
        proxy.cut();
        try (Socket late = socket()) {
            late.getOutputStream().write(9);
            server.setSoTimeout(SILENCE_MILLIS);
            assertThatThrownBy(server::accept).isInstanceOf(SocketTimeoutException.class);
            proxy.heal();
            server.setSoTimeout(20_000);
            try (Socket arrived = server.accept()) {
                assertThat(arrived.getInputStream().read()).isEqualTo(9);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("what is swallowed is lost, the other direction is not; healed, the connection is reset on both sides")
    void swallows(Direction direction) throws IOException {
        proxy.swallow(direction);
        send(direction, 1, 2);
        assertSilent(direction);
        send(direction.opposite(), 3);
        assertThat(receive(direction.opposite())).isEqualTo(3);
        try (Socket late = socket()) {
            await().until(() -> proxy.connections() == 2);
            proxy.heal();
            assertThatThrownBy(() -> client.getInputStream().read()).isInstanceOf(SocketException.class);
            assertThatThrownBy(() -> accepted.getInputStream().read()).isInstanceOf(SocketException.class);
            assertThatThrownBy(() -> late.getInputStream().read()).isInstanceOf(SocketException.class);
        }
        await().until(() -> proxy.connections() == 0);
    }

    @Test
    @DisplayName("a connection that lost nothing while others were swallowed goes on")
    void keepsWhatLostNothing() throws IOException {
        proxy.swallow();
        proxy.heal();
        send(Direction.TO_SERVER, 5);
        assertThat(receive(Direction.TO_SERVER)).isEqualTo(5);
    }

    @Test
    @DisplayName("a sender that is held back can go on for a while, and is then stopped as by full socket buffers")
    void holdsBoundedAmounts() throws Exception {
        proxy.cut();
        CompletableFuture<Void> sending = CompletableFuture.runAsync(() -> {
            try {
                client.getOutputStream().write(new byte[64 << 20]);
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
        assertThatThrownBy(() -> sending.get(SILENCE_MILLIS, java.util.concurrent.TimeUnit.MILLISECONDS))
                .isInstanceOf(java.util.concurrent.TimeoutException.class);
        proxy.heal();
        new DataInputStream(accepted.getInputStream()).readFully(new byte[64 << 20]);
        sending.get();
    }

    @Test
    @DisplayName("a reset is seen by both sides, and new connections may come")
    void resets() throws IOException {
        proxy.reset();
        assertThatThrownBy(() -> client.getInputStream().read()).isInstanceOf(SocketException.class);
        assertThatThrownBy(() -> accepted.getInputStream().read()).isInstanceOf(SocketException.class);
        try (Socket again = socket();
                Socket arrived = server.accept()) {
            again.getOutputStream().write(1);
            assertThat(arrived.getInputStream().read()).isEqualTo(1);
        }
    }

    @Test
    @DisplayName("a reset by one side is passed on to the other")
    void passesResetsOn() throws IOException {
        accepted.setSoLinger(true, 0);
        accepted.close();
        assertThatThrownBy(() -> client.getInputStream().read()).isInstanceOf(SocketException.class);
    }

    @Test
    @DisplayName("what is refused is refused until it is healed; what was connected stays")
    void refuses() throws IOException {
        for (int round = 0; round < 3; round++) {
            proxy.refuse().refuse();
            assertThatThrownBy(this::socket).isInstanceOf(ConnectException.class);
            send(Direction.TO_SERVER, 5);
            assertThat(receive(Direction.TO_SERVER)).isEqualTo(5);
            proxy.heal();
            try (Socket again = socket();
                    Socket arrived = server.accept()) {
                again.getOutputStream().write(1);
                assertThat(arrived.getInputStream().read()).isEqualTo(1);
            }
        }
    }

    @Test
    @DisplayName("a server that does not listen: the client is reset; when it listens again, clients get through")
    void serverAway() throws IOException {
        int port = server.getLocalPort();
        server.close();
        // The reset may come while the client still connects, or later.
        assertThatThrownBy(() -> {
                    try (Socket early = socket()) {
                        early.getInputStream().read();
                    }
                })
                .isInstanceOf(SocketException.class);
        server = new ServerSocket();
        server.setReuseAddress(true);
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        try (Socket late = socket();
                Socket arrived = server.accept()) {
            late.getOutputStream().write(4);
            assertThat(arrived.getInputStream().read()).isEqualTo(4);
        }
    }

    @Test
    @DisplayName("closing resets what is connected, even when it is cut, and leaves no thread")
    void closes() throws IOException {
        String threads = "laneway-proxy-" + address().getPort();
        assertThat(Thread.getAllStackTraces().keySet())
                .anyMatch(thread -> thread.getName().startsWith(threads));
        proxy.cut();
        send(Direction.TO_SERVER, 1);
        proxy.close();
        proxy.close();
        assertThatThrownBy(() -> client.getInputStream().read()).isInstanceOf(SocketException.class);
        assertThatThrownBy(this::socket).isInstanceOf(ConnectException.class);
        await().until(() -> Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().startsWith(threads)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "localhost", ":1", "localhost:", "localhost:x", "localhost:123456"})
    @DisplayName("a target that is no address is refused")
    void refusesTargets(String target) {
        assertThatThrownBy(() -> TcpProxy.to(target))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("to(" + target + "): must be host:port");
    }

    @Test
    @DisplayName("a negative delay and a throttle of nothing are refused with their remedy")
    void refusesSettings() {
        assertThatThrownBy(() -> proxy.delay(Duration.ofMillis(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("must not be negative");
        assertThatThrownBy(() -> proxy.throttle(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("cut() lets nothing through");
    }
}
