package dev.laneway.bench.measure;

import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * What to read, compute and write exactly once. Immutable.
 *
 * @param state a directory, for peers that keep state
 * @param probe counts what was computed
 */
public record CopyTask(
        String bootstrap, String from, String to, String group, int concurrency, String state, Probe probe) {
    public Map<String, Object> kafkaConfig() {
        Map<String, Object> config = new HashMap<>();
        config.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
        config.put(ConsumerConfig.GROUP_ID_CONFIG, group);
        config.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        config.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        config.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
        config.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, 1_000);
        return config;
    }

    public String transactionalId() {
        return group;
    }

    /** Computes the record to write. */
    public ProducerRecord<byte[], byte[]> copy(ConsumerRecord<byte[], byte[]> record) {
        probe.handleUninterrupted(record);
        return new ProducerRecord<>(to, record.key(), record.value());
    }
}
