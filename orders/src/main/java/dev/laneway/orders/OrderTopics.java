package dev.laneway.orders;

import dev.laneway.cli.program.VerbFailure;
import dev.laneway.cli.workload.Cluster;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.errors.TopicExistsException;

/** The tracker's topics. Stateless. */
final class OrderTopics {
    /** The last status of each order stays for as long as the broker keeps what is deleted by time. */
    private static final Map<String, String> STATUS_CONFIG = Map.of("cleanup.policy", "compact,delete");

    private static final String MOST_BYTES = String.valueOf(OwnTopics.MOST_BYTES);
    private static final Map<String, String> EVENTS_CONFIG =
            Map.of("cleanup.policy", "delete", "max.message.bytes", MOST_BYTES);
    private static final Map<String, String> STATE_CONFIG =
            Map.of("cleanup.policy", "compact", "max.message.bytes", MOST_BYTES);

    private OrderTopics() {}

    /**
     * Creates those that are missing. Returns the id of the cluster.
     *
     * @throws VerbFailure if no broker answers within the limit, or if the topics do not go together
     */
    static String ensure(Map<String, Object> kafkaConfig, int partitions, Duration limit) {
        try (Cluster cluster = Cluster.connect(kafkaConfig, limit);
                Admin admin = Admin.create(limited(kafkaConfig, limit))) {
            ensure(cluster, admin, OrderTopology.STATUS, partitions, STATUS_CONFIG, limit);
            int orders = cluster.ensureTopic(OrderTopology.ORDERS, partitions);
            int progress = cluster.ensureTopic(OrderTopology.PROGRESS, orders);
            if (orders != progress) {
                throw new VerbFailure("topic orders has " + orders + " partitions and progress " + progress
                        + ", but an order's events must come to one task: give both the same number");
            }
            return answer(admin.describeCluster().clusterId(), limit);
        }
    }

    /**
     * Creates those that the tracker on Laneway has for itself, if they are missing.
     *
     * @throws VerbFailure if no broker answers within the limit, or if they do not go together
     */
    static void ensure(Map<String, Object> kafkaConfig, OwnTopics own, int partitions, Duration limit) {
        try (Cluster cluster = Cluster.connect(kafkaConfig, limit);
                Admin admin = Admin.create(limited(kafkaConfig, limit))) {
            int events = ensure(cluster, admin, own.events(), partitions, EVENTS_CONFIG, limit);
            int state = ensure(cluster, admin, own.state(), events, STATE_CONFIG, limit);
            if (events != state) {
                throw new VerbFailure("topic " + own.events() + " has " + events + " partitions and " + own.state()
                        + " " + state + ", but each has the other's state: give another --application-id");
            }
        }
    }

    private static int ensure(
            Cluster cluster, Admin admin, String topic, int partitions, Map<String, String> config, Duration limit) {
        if (cluster.partitions(topic).isEmpty()) {
            create(admin, new NewTopic(topic, Optional.of(partitions), Optional.empty()).configs(config), limit);
        }
        return cluster.ensureTopic(topic, partitions);
    }

    private static Map<String, Object> limited(Map<String, Object> kafkaConfig, Duration limit) {
        Map<String, Object> config = new HashMap<>(kafkaConfig);
        int millis = Math.clamp(limit.toMillis(), 1, Integer.MAX_VALUE);
        config.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, millis);
        config.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, millis);
        return config;
    }

    private static void create(Admin admin, NewTopic topic, Duration limit) {
        try {
            var _ = answer(admin.createTopics(List.of(topic)).all().thenApply(_ -> ""), limit);
        } catch (VerbFailure failed) {
            if (!(failed.getCause() instanceof TopicExistsException)) { // Another process has created it.
                throw failed;
            }
        }
    }

    private static <T> T answer(KafkaFuture<T> future, Duration limit) {
        try {
            return future.get(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException failed) {
            Throwable cause = failed.getCause() == null ? failed : failed.getCause();
            throw new VerbFailure("the topics cannot be made ready: " + cause.getMessage(), cause);
        } catch (TimeoutException late) {
            throw new VerbFailure("the topics cannot be made ready: no broker answers in time", late);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new VerbFailure("interrupted while the topics were made ready", interrupted);
        }
    }
}
