package dev.laneway.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A proxy between TCP clients and a server that disturbs their connections as networks do: delays, throttles, cuts,
 * loses, resets, refuses; each direction by itself. {@link #heal} ends all of it.
 *
 * <pre>{@code
 * try (TcpProxy proxy = TcpProxy.to("127.0.0.1:5432")) {
 *     connectTo(proxy.address());
 *     proxy.delay(ofMillis(50));                  // a distant server
 *     proxy.cut();                                // the network is silently gone
 *     proxy.heal();
 *     proxy.swallow(Direction.TO_CLIENT);         // requests arrive, answers are lost
 *     proxy.heal();
 *     proxy.refuse().reset();                     // the server's process is gone
 * }
 * }</pre>
 *
 * <p>It differs from a real network in two ways: a connection that is opened while the network is cut is accepted and
 * silent, and one to a server that does not listen is accepted and reset instead of refused.
 *
 * <p>Kafka's brokers tell clients which address to connect to, so a proxy in front of a broker is only of use if the
 * broker advertises it: {@link EmbeddedKafkaBuilder#network} arranges that.
 *
 * <p>Thread-safe. Each call has its effect when it returns, on connections old and new; what was written to a socket
 * before may still be on its way.
 */
public final class TcpProxy implements AutoCloseable {

    /** Which way bytes go. */
    public enum Direction {
        /** What the client sends. */
        TO_SERVER,
        /** What the server sends. */
        TO_CLIENT;

        Direction opposite() {
            return this == TO_SERVER ? TO_CLIENT : TO_SERVER;
        }
    }

    private static final int BACKLOG = 128;
    private static final int BUFFER = 64 << 10;
    private static final long ACCEPT_PAUSE_NANOS = 1_000_000;

    private final InetSocketAddress target;
    private final Port port;
    private final Map<Direction, ProxyWeather> weather = new EnumMap<>(Direction.class);
    private final Set<ProxyLink> links = ConcurrentHashMap.newKeySet();
    private @Nullable ServerSocketChannel listening;
    private @Nullable Thread acceptor;
    private boolean closed;

    private TcpProxy(InetSocketAddress target) {
        this.target = target;
        this.port = Port.free();
        for (Direction direction : Direction.values()) {
            weather.put(direction, new ProxyWeather());
        }
    }

    /**
     * A proxy on a free port of 127.0.0.1.
     *
     * @param target host and port of the server; it is resolved when a client connects
     */
    public static TcpProxy to(String target) {
        int colon = target.lastIndexOf(':');
        if (colon < 1 || !target.substring(colon + 1).matches("\\d{1,5}")) {
            throw new IllegalArgumentException("to(" + target + "): must be host:port");
        }
        TcpProxy proxy = new TcpProxy(InetSocketAddress.createUnresolved(
                target.substring(0, colon), Integer.parseInt(target.substring(colon + 1))));
        proxy.listen();
        return proxy;
    }

    /** Host and port to connect to instead of the server's; the same for the life of the proxy. */
    public String address() {
        return port.address();
    }

    /** How many clients are connected. */
    public int connections() {
        return links.size();
    }

    /** How many bytes have been passed on in a direction since the start. */
    public long passed(Direction direction) {
        return of(direction).passed();
    }

    /** Everything takes this much longer, in both directions. Order and rate do not change. */
    public TcpProxy delay(Duration each) {
        return delay(Direction.TO_SERVER, each).delay(Direction.TO_CLIENT, each);
    }

    /** As {@link #delay(Duration)}, in one direction. Zero ends it. */
    public TcpProxy delay(Direction direction, Duration each) {
        if (each.isNegative()) {
            throw new IllegalArgumentException("delay(" + each + "): must not be negative");
        }
        of(direction).delay(each.toNanos());
        return this;
    }

    /** Each connection gets at most this many bytes per second through in each direction. */
    public TcpProxy throttle(long bytesPerSecond) {
        return throttle(Direction.TO_SERVER, bytesPerSecond).throttle(Direction.TO_CLIENT, bytesPerSecond);
    }

    /** As {@link #throttle(long)}, in one direction. */
    public TcpProxy throttle(Direction direction, long bytesPerSecond) {
        if (bytesPerSecond < 1) {
            throw new IllegalArgumentException(
                    "throttle(" + bytesPerSecond + "): must be at least 1; cut() lets nothing through, heal() ends it");
        }
        of(direction).throttle(bytesPerSecond);
        return this;
    }

    /**
     * Nothing passes any more in either direction, neither bytes nor the end of a connection, and neither side notices.
     * What is sent meanwhile arrives after {@link #heal}, as TCP repeats it until it is acknowledged. So a request may
     * arrive long after its sender has given it up.
     */
    public TcpProxy cut() {
        return cut(Direction.TO_SERVER).cut(Direction.TO_CLIENT);
    }

    /** As {@link #cut()}, in one direction: a half-open connection. */
    public TcpProxy cut(Direction direction) {
        of(direction).flow(ProxyWeather.Flow.CUT);
        return this;
    }

    /**
     * As {@link #cut()}, but what is sent meanwhile is lost. {@link #heal} resets the connections that have lost
     * something, as a firewall does that has forgotten them.
     */
    public TcpProxy swallow() {
        return swallow(Direction.TO_SERVER).swallow(Direction.TO_CLIENT);
    }

    /** As {@link #swallow()}, in one direction: a half-open connection whose sender does not notice. */
    public TcpProxy swallow(Direction direction) {
        of(direction).flow(ProxyWeather.Flow.SWALLOWED);
        return this;
    }

    /** Resets the present connections, on both sides. New ones are accepted. */
    public TcpProxy reset() {
        links.forEach(ProxyLink::reset);
        return this;
    }

    /** Refuses new connections until {@link #heal}. Present ones stay. */
    public synchronized TcpProxy refuse() {
        stopListening();
        if (!closed) {
            port.hold();
        }
        return this;
    }

    /**
     * Ends every disturbance: cut connections go on, those that have lost something are reset, and new ones are
     * accepted.
     */
    public TcpProxy heal() {
        weather.values().forEach(ProxyWeather::clear);
        links.stream().filter(ProxyLink::hasLost).forEach(ProxyLink::reset);
        listen();
        return this;
    }

    private synchronized void listen() {
        if (closed || listening != null) {
            return;
        }
        try {
            ServerSocketChannel socket = port.openServerSocket("PROXY", Port.loopback(port.number()), BACKLOG, BUFFER);
            // Port returns it non-blocking, as brokers need it.
            socket.configureBlocking(true);
            listening = socket;
            acceptor = Thread.ofPlatform()
                    .daemon()
                    .name("laneway-proxy-" + port.number())
                    .start(() -> accept(socket));
        } catch (IOException e) {
            throw new UncheckedIOException("port " + port.number() + " of a proxy cannot be listened to", e);
        }
    }

    private void accept(ServerSocketChannel socket) {
        while (socket.isOpen()) {
            try {
                SocketChannel client = socket.accept();
                adopt(client.socket());
            } catch (IOException e) {
                // Closed, or no file handle is left: then clients wait.
                LockSupport.parkNanos(ACCEPT_PAUSE_NANOS);
            }
        }
    }

    private void adopt(Socket client) {
        ProxyLink link = new ProxyLink(client, target, Map.copyOf(weather), links::remove);
        links.add(link);
        link.start();
    }

    /** Returns when the socket no longer listens: a thread in accept keeps a closed socket listening. */
    private void stopListening() {
        ServerSocketChannel socket = listening;
        Thread thread = acceptor;
        listening = null;
        acceptor = null;
        if (socket == null || thread == null) {
            return;
        }
        try {
            socket.close();
            thread.join();
        } catch (IOException e) {
            throw new UncheckedIOException("port " + port.number() + " of a proxy cannot be closed", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while port " + port.number() + " was being closed", e);
        }
    }

    private ProxyWeather of(Direction direction) {
        return Objects.requireNonNull(weather.get(direction));
    }

    /** Resets all connections and frees the port. A second call does nothing. */
    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            stopListening();
            port.close();
        }
        List.copyOf(links).forEach(ProxyLink::reset);
    }
}
