package dev.laneway.bench.measure;

import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;

/**
 * What a peer is to consume, and how. Immutable.
 *
 * @param extra further properties
 * @param concurrency how many records may be handled at once
 */
public record Task(
        String bootstrap,
        String topic,
        int partitions,
        String group,
        int concurrency,
        Commits commits,
        int maxPollRecords,
        Probe probe,
        Map<String, Object> extra) {
    public Task {
        extra = Map.copyOf(extra);
    }

    public Task(
            String bootstrap,
            String topic,
            int partitions,
            String group,
            int concurrency,
            Commits commits,
            int maxPollRecords,
            Probe probe) {
        this(bootstrap, topic, partitions, group, concurrency, commits, maxPollRecords, probe, Map.of());
    }

    /** The properties that all consumers share. Bytes are not deserialised. */
    public Map<String, Object> kafkaConfig() {
        Map<String, Object> config = new HashMap<>();
        config.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
        config.put(ConsumerConfig.GROUP_ID_CONFIG, group);
        config.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        config.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        config.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, maxPollRecords);
        config.putAll(extra);
        return config;
    }
}
