package dev.laneway.testkit;

import dev.laneway.testkit.TcpProxy.Direction;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** One client's connection through a {@link TcpProxy}: two sockets and a pipe for each direction. Thread-safe. */
final class ProxyLink {

    private static final int CONNECT_MILLIS = (int) TimeUnit.SECONDS.toMillis(10);

    private final Socket client;
    private final Socket server = new Socket();
    private final InetSocketAddress target;
    private final Map<Direction, ProxyWeather> weather;
    private final Consumer<ProxyLink> gone;
    private final List<Thread> threads = new CopyOnWriteArrayList<>();
    private boolean closed;
    private boolean lost;
    private int ended;

    ProxyLink(Socket client, InetSocketAddress target, Map<Direction, ProxyWeather> weather, Consumer<ProxyLink> gone) {
        this.client = client;
        this.target = target;
        this.weather = weather;
        this.gone = gone;
    }

    void start() {
        run("connect", () -> {
            connect();
            pipe(Direction.TO_SERVER, client, server);
            pipe(Direction.TO_CLIENT, server, client);
        });
    }

    /** A connection is made only while both directions are open; one that comes while bytes are lost is lost too. */
    private void connect() throws IOException, InterruptedException {
        if (weather.values().stream().anyMatch(ProxyWeather::isSwallowing)) {
            lose();
        }
        for (ProxyWeather way : weather.values()) {
            way.awaitOpen();
        }
        if (hasLost()) {
            throw new IOException("its beginning was lost");
        }
        client.setTcpNoDelay(true);
        server.setTcpNoDelay(true);
        server.connect(new InetSocketAddress(target.getHostString(), target.getPort()), CONNECT_MILLIS);
    }

    private void pipe(Direction direction, Socket from, Socket to) {
        ProxyWeather way = Objects.requireNonNull(weather.get(direction));
        ProxyPipe pipe = new ProxyPipe(this, way, from, to);
        run(direction + "-read", pipe::read);
        run(direction + "-write", pipe::write);
    }

    private interface Step {
        void run() throws IOException, InterruptedException;
    }

    private void run(String what, Step step) {
        Thread thread = Thread.ofPlatform()
                .daemon()
                .name("laneway-proxy-" + client.getLocalPort() + "-" + client.getPort() + "-" + what)
                .unstarted(() -> {
                    try {
                        step.run();
                    } catch (IOException | InterruptedException e) {
                        reset();
                    }
                });
        synchronized (this) {
            if (!closed) {
                threads.add(thread);
                thread.start();
            }
        }
    }

    /** Some of its bytes were lost. Resets it now if the network was healed meanwhile. */
    void lose() {
        synchronized (this) {
            lost = true;
        }
        if (weather.values().stream().noneMatch(ProxyWeather::isSwallowing)) {
            reset();
        }
    }

    synchronized boolean hasLost() {
        return lost;
    }

    /** One direction has ended; after both the connection is closed. */
    void ended() {
        boolean over;
        synchronized (this) {
            over = ++ended == Direction.values().length;
        }
        if (over) {
            close(false);
        }
    }

    /** Ends it at once, as when a process dies: both sides get a reset. */
    void reset() {
        close(true);
    }

    private void close(boolean reset) {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        gone.accept(this);
        for (Socket socket : List.of(client, server)) {
            try {
                if (reset) {
                    socket.setSoLinger(true, 0);
                }
                socket.close();
            } catch (IOException e) {
                // It is already closed.
            }
        }
        // Last: an interrupt would close a socket normally instead of resetting it.
        threads.forEach(Thread::interrupt);
    }
}
