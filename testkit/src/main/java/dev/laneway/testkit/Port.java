package dev.laneway.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.server.ServerSocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * A port of the loopback address that stays reserved while its server is down.
 *
 * <p>If a free port is closed before a server binds it, another process may take it in between. So a socket that is
 * bound but does not listen holds the port: no other process gets it, and clients are refused, as by a broker that is
 * down. The hold is released once the server has bound, and taken again when the server has stopped.
 *
 * <p>The hold must not be closed first: a process that this JVM starts just then inherits it, and the port stays taken
 * until that process closes it.
 *
 * <p>Thread-safe.
 */
final class Port implements ServerSocketFactory, AutoCloseable {

    static final String HOST = "127.0.0.1";
    private static final byte[] ADDRESS = {127, 0, 0, 1};

    /** The longest that a new process may keep a server's closed socket, which it inherited. */
    private static final Duration INHERITED = Duration.ofSeconds(5);

    private final int number;
    private @Nullable SocketChannel hold;

    private Port(SocketChannel hold, int number) {
        this.hold = hold;
        this.number = number;
    }

    /** Holds a port that the system chooses. */
    static Port free() {
        try {
            return reserve(0);
        } catch (IOException e) {
            throw new UncheckedIOException("no free port on " + HOST, e);
        }
    }

    /** Holds the port with this number, or fails if it is taken. */
    static Port chosen(int number) {
        try {
            return reserve(number);
        } catch (IOException e) {
            throw new IllegalStateException(
                    "port " + number + " on " + HOST + " is taken; stop the process that listens there, choose another"
                            + " port, or port(0) for a free one",
                    e);
        }
    }

    private static Port reserve(int number) throws IOException {
        SocketChannel channel = bind(number);
        return new Port(channel, ((InetSocketAddress) channel.getLocalAddress()).getPort());
    }

    /**
     * Exclusively if possible. While connections of a closed server are in TIME_WAIT, only SO_REUSEADDR binds; it does
     * not help against a socket that is bound exclusively or that listens.
     */
    private static SocketChannel bind(int number) throws IOException {
        try {
            return bind(number, false);
        } catch (BindException e) {
            return bind(number, true);
        }
    }

    private static SocketChannel bind(int number, boolean reuse) throws IOException {
        SocketChannel channel = SocketChannel.open();
        try {
            channel.setOption(StandardSocketOptions.SO_REUSEADDR, reuse);
            return channel.bind(loopback(number));
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    /** The IPv4 loopback, whatever the JVM prefers. */
    static InetSocketAddress loopback(int number) throws UnknownHostException {
        return new InetSocketAddress(InetAddress.getByAddress(ADDRESS), number);
    }

    int number() {
        return number;
    }

    /** Host and port, as in {@code bootstrap.servers}. */
    String address() {
        return HOST + ":" + number;
    }

    /** Takes the port again after its server has stopped. */
    synchronized void hold() {
        long deadline = System.nanoTime() + INHERITED.toNanos();
        while (hold == null) {
            try {
                hold = bind(number);
            } catch (IOException e) {
                if (System.nanoTime() - deadline > 0 || !slept()) {
                    throw new UncheckedIOException("port " + number + " was lost when its broker stopped", e);
                }
            }
        }
    }

    private static boolean slept() {
        try {
            Thread.sleep(1);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Called by the server when it binds its listener. */
    @Override
    public ServerSocketChannel openServerSocket(String listener, InetSocketAddress address, int backlog, int bufferSize)
            throws IOException {
        share();
        try {
            return INSTANCE.openServerSocket(listener, address, backlog, bufferSize);
        } catch (KafkaException e) {
            // Some systems do not let two sockets have a port even if only one listens.
            release();
            return INSTANCE.openServerSocket(listener, address, backlog, bufferSize);
        } finally {
            release();
        }
    }

    /** Lets a server bind the port while it is held. */
    private synchronized void share() throws IOException {
        if (hold != null) {
            hold.setOption(StandardSocketOptions.SO_REUSEADDR, true);
        }
    }

    private synchronized void release() throws IOException {
        if (hold != null) {
            hold.close();
            hold = null;
        }
    }

    @Override
    public void close() {
        try {
            release();
        } catch (IOException e) {
            throw new UncheckedIOException("port " + number + " could not be released", e);
        }
    }
}
