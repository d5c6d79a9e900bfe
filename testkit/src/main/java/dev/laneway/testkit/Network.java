package dev.laneway.testkit;

import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * A network to an {@link EmbeddedKafka} that can be disturbed: a proxy in front of each broker. Clients that start with
 * {@link #bootstrapServers()} use only it, since the brokers advertise the proxies' addresses to them; brokers among
 * themselves and the cluster's own clients do not use it. So one member of a group can be cut off while the others go
 * on.
 *
 * <pre>{@code
 * try (EmbeddedKafka kafka = EmbeddedKafka.builder().network("east").start()) {
 *     Network east = kafka.network("east");
 *     runTheApplication(east.bootstrapServers());
 *     east.all(TcpProxy::cut);
 *     ...
 *     east.all(TcpProxy::heal);
 * }
 * }</pre>
 *
 * <p>Thread-safe.
 */
public final class Network {

    private final List<TcpProxy> proxies;

    Network(List<TcpProxy> proxies) {
        this.proxies = List.copyOf(proxies);
    }

    /** Addresses of the proxies of all brokers, for {@code bootstrap.servers}. */
    public String bootstrapServers() {
        return proxies.stream().map(TcpProxy::address).collect(Collectors.joining(","));
    }

    /**
     * The proxy in front of a broker.
     *
     * @param node 1 to the number of nodes
     */
    public TcpProxy proxy(int node) {
        if (node < 1 || node > proxies.size()) {
            throw new IllegalArgumentException("node " + node + ": must be 1 to " + proxies.size());
        }
        return proxies.get(node - 1);
    }

    /** Does the same to the proxies of all brokers. */
    public void all(Consumer<TcpProxy> action) {
        proxies.forEach(action);
    }
}
