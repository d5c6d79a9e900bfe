package dev.laneway.proof;

import dev.laneway.testkit.TcpProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The network between members and brokers: a proxy for each pair, so that a member can be cut off from all brokers, and
 * a broker from all members. Brokers among themselves, the producer and the checks use other connections. Used by one
 * thread.
 */
final class ChaosNetwork implements AutoCloseable {
    private static final Duration DELAY = Duration.ofMillis(300);
    private static final long SLOW_BYTES_PER_SECOND = 20_000;

    /** By member, then by broker; without proxies if the network is not disturbed. */
    private final List<List<TcpProxy>> proxies = new ArrayList<>();

    /** How a connection is disturbed. */
    enum Way {
        CUT("nothing gets through, and nobody is told; it arrives later"),
        SWALLOW("what is sent is lost, and nobody is told"),
        HALF_OPEN("requests get through, answers do not"),
        REFUSE("connections are reset and refused"),
        SLOW("0.3 s each way, 20 kB/s");

        private final String words;

        Way(String words) {
            this.words = words;
        }

        /** For people. */
        String words() {
            return words;
        }

        private void disturb(TcpProxy proxy) {
            var _ = switch (this) {
                case CUT -> proxy.cut();
                case SWALLOW -> proxy.swallow();
                case HALF_OPEN -> proxy.cut(TcpProxy.Direction.TO_CLIENT);
                case REFUSE -> proxy.refuse().reset();
                case SLOW -> proxy.delay(DELAY).throttle(SLOW_BYTES_PER_SECOND);
            };
        }
    }

    /** Puts proxies before the nodes' listeners, all but the first, which is not for members. */
    ChaosNetwork(List<ChaosNode> nodes) {
        int listeners = nodes.getFirst().clientPorts().size();
        for (int listener = 1; listener < listeners; listener++) {
            List<TcpProxy> ways = new ArrayList<>();
            for (ChaosNode node : nodes) {
                ways.add(TcpProxy.to(ChaosNode.address(node.clientPorts().get(listener))));
            }
            proxies.add(List.copyOf(ways));
        }
    }

    /** The advertised addresses of a node, one for each listener. */
    List<String> advertised(ChaosNode node) {
        List<String> advertised = new ArrayList<>();
        advertised.add(ChaosNode.address(node.clientPorts().getFirst()));
        proxies.forEach(ways -> advertised.add(ways.get(node.id() - 1).address()));
        return advertised;
    }

    /** The {@code bootstrap.servers} of a member. */
    String bootstrap(int member) {
        return proxies.get(member - 1).stream().map(TcpProxy::address).collect(Collectors.joining(","));
    }

    /** Whether there is a network to disturb. */
    boolean isThere() {
        return !proxies.isEmpty();
    }

    void disturbMember(int member, Way way) {
        proxies.get(member - 1).forEach(way::disturb);
    }

    void disturbBroker(int broker, Way way) {
        proxies.forEach(ways -> way.disturb(ways.get(broker - 1)));
    }

    void healMember(int member) {
        proxies.get(member - 1).forEach(TcpProxy::heal);
    }

    void healBroker(int broker) {
        proxies.forEach(ways -> ways.get(broker - 1).heal());
    }

    @Override
    public void close() {
        proxies.forEach(ways -> ways.forEach(TcpProxy::close));
    }
}
