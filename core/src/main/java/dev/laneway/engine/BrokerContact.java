package dev.laneway.engine;

import dev.laneway.Health;
import dev.laneway.engine.runtime.HealthConditions;
import dev.laneway.engine.runtime.Host;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.jspecify.annotations.Nullable;

/**
 * Does any broker answer the client? Told by the bytes that it has received: a client that may fetch gets an answer at
 * least every {@code fetch.max.wait.ms}, and a member of a group one to each heartbeat. So an idle topic is not silent,
 * and nothing is asked for this. A client without such a metric is never called silent. The owner only.
 */
public final class BrokerContact {
    private static final String BYTES = "incoming-byte-total";
    /** The longest interval of heartbeats that brokers let groups have. */
    private static final long HEARTBEAT_NANOS = 15_000_000_000L;

    /** What an answer may take beyond the time for which a broker keeps a fetch. */
    private static final long ALLOWANCE_NANOS = 2_000_000_000;

    /** An owner that did not look for so long knows nothing of that time. */
    private static final long GAP_NANOS = 3_000_000_000L;

    private static final HealthConditions.Subject SUBJECT =
            new HealthConditions.Subject(Health.Cause.BROKER_AWAY, "contact", "the brokers");

    private final Host host;
    private final HealthConditions conditions;
    private final Supplier<? extends Map<MetricName, ? extends Metric>> metrics;
    private final long fetchWaitNanos;
    private final boolean isMember;
    private @Nullable Metric bytes;
    private double heard = -1;
    private long lookedNanos;
    private long sinceNanos;
    private long expectedNanos;

    /**
     * @param fetchWaitNanos how long a broker keeps a fetch that finds nothing
     * @param isMember whether it belongs to a group that assigns partitions, and so sends heartbeats
     */
    public BrokerContact(
            Host host,
            HealthConditions conditions,
            Supplier<? extends Map<MetricName, ? extends Metric>> metrics,
            long fetchWaitNanos,
            boolean isMember) {
        this.host = host;
        this.conditions = conditions;
        this.metrics = metrics;
        this.fetchWaitNanos = fetchWaitNanos;
        this.isMember = isMember;
        this.lookedNanos = host.nanoTime();
        this.sinceNanos = lookedNanos;
    }

    /**
     * Looks whether something was heard since the last look; several times within {@link #GAP_NANOS}.
     *
     * @param mayFetch whether the client has partitions that it may fetch
     * @param isTold whether polls fail, which says more
     */
    void look(boolean mayFetch, boolean isTold) {
        long now = host.nanoTime();
        double received = received();
        long expected = received == 0 ? 0 : mayFetch ? fetchWaitNanos : HEARTBEAT_NANOS;
        boolean asks = received == 0 || mayFetch || isMember;
        if (received < 0 || received != heard || !asks || isTold || expected > expectedNanos || isGap(now)) {
            sinceNanos = received == 0 && heard <= 0 ? sinceNanos : now;
            conditions.end(SUBJECT);
        }
        if (received >= 0 && asks && !isTold && now - sinceNanos > expected + ALLOWANCE_NANOS) {
            conditions.begin(SUBJECT, Health.Status.DOWN, reason(received), sinceNanos);
        }
        heard = received;
        expectedNanos = expected;
        lookedNanos = now;
    }

    private boolean isGap(long now) {
        return now - lookedNanos > GAP_NANOS;
    }

    private static String reason(double received) {
        return received == 0
                ? "none has answered yet: check bootstrap.servers, the network, and whether the brokers run"
                : "check whether they run and can be reached at their advertised listeners; it goes"
                        + " on by itself when one does";
    }

    /** Bytes received from all brokers since the start; -1 when the client does not say. */
    private double received() {
        Metric known = bytes;
        if (known == null) {
            for (Map.Entry<MetricName, ? extends Metric> one : metrics.get().entrySet()) {
                if (one.getKey().name().equals(BYTES) && !one.getKey().tags().containsKey("node-id")) {
                    known = one.getValue();
                }
            }
            bytes = known;
        }
        return known != null && known.metricValue() instanceof Number number ? number.doubleValue() : -1;
    }
}
