package dev.laneway.testkit.sim;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.RebalanceProtocol;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

/** The properties that the simulated consumer uses. Kafka's own class checks them and has the defaults. */
record SimConsumerConfig(
        String clientId,
        @Nullable String groupId,
        @Nullable String instanceId,
        boolean modern,
        List<ConsumerPartitionAssignor> assignors,
        Reset reset,
        boolean readCommitted,
        boolean autoCommit,
        long autoCommitNanos,
        int maxPollRecords,
        int fetchMaxBytes,
        int maxPartitionFetchBytes,
        long fetchMaxWaitNanos,
        long maxPollIntervalNanos,
        long sessionTimeoutNanos,
        long heartbeatNanos,
        long requestTimeoutNanos,
        long retryBackoffNanos,
        Duration apiTimeout) {

    /** {@code auto.offset.reset}. {@code age} is there for by_duration only. */
    record Reset(Kind kind, @Nullable Duration age) {
        enum Kind {
            EARLIEST,
            LATEST,
            NONE,
            BY_DURATION
        }

        static final Reset EARLIEST = new Reset(Kind.EARLIEST, null);
        static final Reset LATEST = new Reset(Kind.LATEST, null);

        static Reset of(String value) {
            String lower = value.toLowerCase(Locale.ROOT);
            if (lower.startsWith("by_duration:")) {
                return new Reset(Kind.BY_DURATION, Duration.parse(value.substring("by_duration:".length())));
            }
            return new Reset(Kind.valueOf(lower.toUpperCase(Locale.ROOT)), null);
        }
    }

    static SimConsumerConfig of(Map<String, ?> properties, String defaultClientId) {
        Map<String, Object> all = new TreeMap<>(properties);
        all.putIfAbsent(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, "simulated:9092");
        all.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
        all.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
        all.putIfAbsent(ConsumerConfig.CLIENT_ID_CONFIG, defaultClientId);
        Checked config = new Checked(all);
        boolean modern = "consumer".equalsIgnoreCase(config.getString(ConsumerConfig.GROUP_PROTOCOL_CONFIG));
        List<String> assignorClasses = config.getList(ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG);
        String group = config.getString(ConsumerConfig.GROUP_ID_CONFIG);
        boolean autoCommitGiven = all.containsKey(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG);
        boolean autoCommit = config.getBoolean(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG);
        return new SimConsumerConfig(
                config.getString(ConsumerConfig.CLIENT_ID_CONFIG),
                group,
                config.getString(ConsumerConfig.GROUP_INSTANCE_ID_CONFIG),
                modern,
                ConsumerPartitionAssignor.getAssignorInstances(assignorClasses, all),
                Reset.of(config.getString(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG)),
                "read_committed".equals(config.getString(ConsumerConfig.ISOLATION_LEVEL_CONFIG)),
                autoCommit && (group != null || autoCommitGiven),
                millis(config, ConsumerConfig.AUTO_COMMIT_INTERVAL_MS_CONFIG),
                config.getInt(ConsumerConfig.MAX_POLL_RECORDS_CONFIG),
                config.getInt(ConsumerConfig.FETCH_MAX_BYTES_CONFIG),
                config.getInt(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG),
                millis(config, ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG),
                millis(config, ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG),
                millis(config, ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG),
                millis(config, ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG),
                millis(config, ConsumerConfig.REQUEST_TIMEOUT_MS_CONFIG),
                config.getLong(ConsumerConfig.RETRY_BACKOFF_MS_CONFIG) * 1_000_000L,
                Duration.ofMillis(config.getInt(ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG)));
    }

    private static long millis(Checked config, String name) {
        return config.getInt(name) * 1_000_000L;
    }

    /** The classic rebalance protocol that all assignors support, the most advanced if there are several. */
    RebalanceProtocol rebalanceProtocol() {
        return List.of(RebalanceProtocol.COOPERATIVE, RebalanceProtocol.EAGER).stream()
                .filter(protocol -> assignors.stream()
                        .allMatch(assignor -> assignor.supportedProtocols().contains(protocol)))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("partition.assignment.strategy is "
                        + assignors.stream()
                                .map(ConsumerPartitionAssignor::name)
                                .toList()
                        + ", but these support no rebalance protocol in common: choose assignors of one kind"));
    }

    /** Kafka's class without its logging of all values for each consumer. */
    private static final class Checked extends ConsumerConfig {
        Checked(Map<String, Object> properties) {
            super(properties, false);
        }
    }
}
