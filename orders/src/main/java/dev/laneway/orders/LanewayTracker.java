package dev.laneway.orders;

import dev.laneway.FailurePolicy;
import dev.laneway.Laneway;
import dev.laneway.cli.program.VerbFailure;
import dev.laneway.ops.observe.LanewayBean;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** A tracker on Laneway that runs. Thread-safe. */
final class LanewayTracker implements WatchedTracker, AutoCloseable {
    private final AssignedOrders assigned;
    private final Laneway laneway;
    private final LanewayBean bean;

    private LanewayTracker(AssignedOrders assigned, Laneway laneway, LanewayBean bean) {
        this.assigned = assigned;
        this.laneway = laneway;
        this.bean = bean;
    }

    /**
     * How it runs. Immutable.
     *
     * @param instance this process, the same after a restart
     * @param forgetAfter how long after its last event an order that has ended is kept
     */
    record Setup(String applicationId, String instance, int concurrency, Duration service, Duration forgetAfter) {}

    /** Starts it. What the user gives of Kafka's properties wins where Laneway leaves the choice. */
    static LanewayTracker start(Map<String, Object> kafkaConfig, Setup setup, TrackerCounts counts) {
        OwnTopics own = OwnTopics.of(setup.applicationId());
        StateReader reader = new StateReader(
                kafkaConfig, setup.applicationId(), own, setup.forgetAfter(), System::currentTimeMillis);
        AssignedOrders assigned = new AssignedOrders(own, reader);
        Map<String, Object> config = new HashMap<>(kafkaConfig);
        config.put(ConsumerConfig.GROUP_ID_CONFIG, setup.applicationId());
        config.putIfAbsent(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        try {
            Laneway laneway = Laneway.consumer(config)
                    .name(setup.applicationId())
                    .subscribe(OrderTopology.ORDERS, OrderTopology.PROGRESS, own.events())
                    .concurrency(setup.concurrency())
                    .exactlyOnce(setup.applicationId() + "-" + setup.instance())
                    .producer(Map.of(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, OwnTopics.MOST_BYTES))
                    .closeOnShutdown(false)
                    .onFailure(FailurePolicy.stop())
                    .onRebalance(assigned)
                    .transform(
                            new ByteArraySerializer(),
                            new ByteArraySerializer(),
                            new OrderTransform(
                                    own,
                                    assigned,
                                    new ExternalCall(setup.service()),
                                    counts,
                                    System::currentTimeMillis));
            return watched(setup.applicationId(), assigned, laneway);
        } catch (RuntimeException refused) {
            assigned.close();
            throw refused;
        }
    }

    /** With its bean; where that is refused, it runs no more. */
    private static LanewayTracker watched(String applicationId, AssignedOrders assigned, Laneway laneway) {
        try {
            return new LanewayTracker(assigned, laneway, LanewayBean.register(applicationId, laneway));
        } catch (RuntimeException refused) {
            laneway.close();
            throw refused;
        }
    }

    @Override
    public void check() {
        if (laneway.state().isTerminal()) {
            throw new VerbFailure("the order tracker has ended: "
                    + laneway.failure().map(Throwable::toString).orElse("somebody has closed it"));
        }
    }

    @Override
    public String state() {
        long restoring = assigned.restoring();
        return restoring > 0
                ? "reading the state of " + restoring + " partitions"
                : laneway.state().name().toLowerCase(Locale.ROOT);
    }

    @Override
    public OptionalLong orders() {
        return OptionalLong.of(assigned.size());
    }

    /** Commits what is done and leaves the group, so that others take over at once. */
    @Override
    public void close() {
        bean.close();
        laneway.close();
        assigned.close();
    }
}
