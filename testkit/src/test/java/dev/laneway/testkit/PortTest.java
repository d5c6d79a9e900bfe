package dev.laneway.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
@DisplayName("Port")
class PortTest {

    @Test
    @DisplayName("a held port is refused to clients and to other servers")
    void held() throws IOException {
        try (Port port = Port.free()) {
            assertThatThrownBy(() -> connect(port)).isInstanceOf(ConnectException.class);
            assertThatThrownBy(() -> listenElsewhere(port)).isInstanceOf(BindException.class);
            assertThatThrownBy(() -> Port.chosen(port.number()))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("port " + port.number());
        }
    }

    @Test
    @DisplayName("its server listens, and when it has closed the port is held again, connections or not")
    void handedToItsServerAndBack() throws IOException {
        try (Port port = Port.free()) {
            for (int round = 0; round < 3; round++) {
                try (ServerSocketChannel server =
                                port.openServerSocket("CLIENT", Port.loopback(port.number()), 50, -1);
                        Socket client = connect(port)) {
                    assertThat(server.isOpen()).isTrue();
                    assertThat(client.isConnected()).isTrue();
                }
                port.hold();
                assertThatThrownBy(() -> connect(port)).isInstanceOf(ConnectException.class);
                assertThatThrownBy(() -> listenElsewhere(port)).isInstanceOf(BindException.class);
            }
        }
    }

    @Test
    @DisplayName("its server gets it and gives it back while processes are started, which inherit its sockets")
    void handedToItsServerWhileProcessesStart() throws Exception {
        AtomicBoolean done = new AtomicBoolean();
        Path java = Path.of(System.getProperty("java.home"), "bin", "java");
        CompletableFuture<Void> starter = CompletableFuture.runAsync(() -> {
            while (!done.get()) {
                try {
                    new ProcessBuilder(java.toString(), "-not-an-option")
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor();
                } catch (IOException | InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
        });
        try {
            for (int round = 0; round < 2_000; round++) {
                try (Port port = Port.free()) {
                    port.openServerSocket("CLIENT", Port.loopback(port.number()), 50, -1)
                            .close();
                    port.hold();
                }
            }
        } finally {
            done.set(true);
            starter.join();
        }
    }

    @Test
    @DisplayName("a closed port is free for others")
    void closed() throws IOException {
        Port port = Port.free();
        port.close();
        port.close();
        listenElsewhere(port);
    }

    private static Socket connect(Port port) throws IOException {
        Socket socket = new Socket();
        try {
            socket.connect(Port.loopback(port.number()), 1_000);
            return socket;
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    private static void listenElsewhere(Port port) throws IOException {
        try (ServerSocket other = new ServerSocket()) {
            other.setReuseAddress(false);
            other.bind(Port.loopback(port.number()));
        }
    }
}
