package dev.laneway.assign;

import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What partitions take, as assignors use it: asked of brokers once for a rebalance and the one that may follow it, and
 * what was known before, or the same for each partition, where they do not tell. Used by one thread.
 */
final class Loads {
    private static final Logger LOG = LoggerFactory.getLogger(Loads.class);
    /** A cooperative rebalance has a second half: with other figures it would move others. */
    private static final long FRESH_NANOS = 30_000_000_000L;
    /** What a partition takes though it is empty, as a part of the mean: so empty ones are spread as well. */
    private static final double LEAST = 0.02;

    /** Without one it waits for ever for a broker that is silent. */
    private static final Duration CLOSE_LIMIT = Duration.ofMillis(100);

    private final Map<String, Object> properties;
    private final String group;
    private final boolean isFromStart;
    private final AssignorSettings settings;
    private Map<TopicPartition, Double> known = Map.of();
    private long readAt;

    /**
     * @param properties for an admin client
     * @param isFromStart whether a group begins at the start of a partition for which it has committed nothing
     */
    Loads(Map<String, ?> properties, String group, boolean isFromStart, AssignorSettings settings) {
        this.properties = new HashMap<>(properties);
        this.group = group;
        this.isFromStart = isFromStart;
        this.settings = settings;
    }

    AssignorSettings settings() {
        return settings;
    }

    /** Asks brokers, unless it just has; for each partition something above 0. */
    Map<TopicPartition, Double> of(Collection<TopicPartition> partitions) {
        boolean isFresh = readAt != 0 && System.nanoTime() - readAt < FRESH_NANOS;
        if (!partitions.isEmpty() && !(isFresh && known.keySet().containsAll(partitions))) {
            read(partitions);
        }
        return filled(known, partitions);
    }

    private void read(Collection<TopicPartition> partitions) {
        try {
            Admin admin = Admin.create(adminProperties());
            try {
                known = new LoadReader(admin, settings)
                        .read(group, partitions, isFromStart, System.currentTimeMillis());
                readAt = System.nanoTime();
            } finally {
                admin.close(CLOSE_LIMIT);
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt(); // The consumer's poll ends by it.
        } catch (ExecutionException | KafkaException unknown) {
            LOG.warn(
                    "Brokers do not tell the load of the partitions of group {}, which are spread {}: does the"
                            + " consumer's user have DESCRIBE on the topics and the group?",
                    group,
                    known.isEmpty() ? "by count" : "by what was known before",
                    unknown);
        }
    }

    private Properties adminProperties() {
        Properties of = new Properties();
        properties.forEach((name, value) -> {
            if (AdminClientConfig.configNames().contains(name) && value != null) {
                of.put(name, value);
            }
        });
        int limit = Math.toIntExact(settings.limit().toMillis());
        of.put(AdminClientConfig.CLIENT_ID_CONFIG, properties.getOrDefault("client.id", group) + "-assignor");
        of.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, limit);
        of.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, limit);
        of.put(AdminClientConfig.ENABLE_METRICS_PUSH_CONFIG, false);
        of.remove(AdminClientConfig.METRIC_REPORTER_CLASSES_CONFIG); // They are the consumer's.
        return of;
    }

    /** Unknown ones take as much as the mean. */
    static Map<TopicPartition, Double> filled(
            Map<TopicPartition, Double> known, Collection<TopicPartition> partitions) {
        double mean = partitions.stream()
                .filter(known::containsKey)
                .mapToDouble(known::get)
                .average()
                .orElse(0);
        Map<TopicPartition, Double> loads = new HashMap<>();
        for (TopicPartition partition : partitions) {
            loads.put(partition, withLeast(known.getOrDefault(partition, mean), mean));
        }
        return loads;
    }

    /** The same where all are known. */
    static double[] withLeast(double[] loads) {
        double mean = Arrays.stream(loads).average().orElse(0);
        return Arrays.stream(loads).map(load -> withLeast(load, mean)).toArray();
    }

    private static double withLeast(double load, double mean) {
        return mean == 0 ? 1 : load + LEAST * mean;
    }
}
