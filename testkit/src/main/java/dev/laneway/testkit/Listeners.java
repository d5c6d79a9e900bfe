package dev.laneway.testkit;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.kafka.server.ServerSocketFactory;

/**
 * The listeners of one broker: a port for each, which stays reserved while the broker is down, and the advertised
 * address, which may be that of a proxy. Thread-safe.
 */
final class Listeners implements ServerSocketFactory, AutoCloseable {

    /** For clients. */
    static final String CLIENT = "CLIENT";

    /** For brokers among themselves and the cluster's own clients, if other clients must authenticate. */
    static final String INTERNAL = "INTERNAL";

    private final Map<String, Port> ports = new LinkedHashMap<>();
    private final Map<String, TcpProxy> proxies = new LinkedHashMap<>();

    /** The listener of a network of the builder's. */
    static String ofNetwork(String network) {
        return "NET_" + network.toUpperCase(java.util.Locale.ROOT);
    }

    synchronized void add(String name, Port port) {
        ports.put(name, port);
    }

    /** Adds a listener that clients reach by a proxy only. */
    synchronized TcpProxy addProxied(String name) {
        Port port = Port.free();
        ports.put(name, port);
        TcpProxy proxy = TcpProxy.to(port.address());
        proxies.put(name, proxy);
        return proxy;
    }

    /** Where clients of a listener connect to. */
    synchronized String address(String name) {
        TcpProxy proxy = proxies.get(name);
        return proxy == null ? port(name).address() : proxy.address();
    }

    /** The value of {@code listeners}. */
    synchronized String bound() {
        return ports.entrySet().stream()
                .map(entry -> entry.getKey() + "://" + entry.getValue().address())
                .collect(Collectors.joining(","));
    }

    /** The value of {@code advertised.listeners}. */
    synchronized String advertised() {
        return ports.keySet().stream().map(name -> name + "://" + address(name)).collect(Collectors.joining(","));
    }

    private Port port(String name) {
        Port port = ports.get(name);
        if (port == null) {
            throw new IllegalArgumentException("there is no listener " + name + ", but " + ports.keySet());
        }
        return port;
    }

    /** Takes all ports again after the broker has stopped. */
    synchronized void hold() {
        ports.values().forEach(Port::hold);
    }

    @Override
    public synchronized ServerSocketChannel openServerSocket(
            String listener, InetSocketAddress address, int backlog, int bufferSize) throws IOException {
        return port(listener).openServerSocket(listener, address, backlog, bufferSize);
    }

    @Override
    public synchronized void close() {
        proxies.values().forEach(TcpProxy::close);
        ports.values().forEach(Port::close);
    }
}
