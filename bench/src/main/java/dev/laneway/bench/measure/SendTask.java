package dev.laneway.bench.measure;

import dev.laneway.cli.workload.Payload;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * What to write. Immutable.
 *
 * @param inFlight the most records in flight
 * @param limit how long all of it may take
 */
public record SendTask(String bootstrap, String topic, long records, int size, int keys, int inFlight, Duration limit) {
    private static final int LINGER_MS = 20;
    private static final int BATCH_BYTES = 256 << 10;
    private static final long BUFFER_BYTES = 64L << 20;

    /** The properties that all producers share. */
    public Map<String, Object> kafkaConfig() {
        Map<String, Object> config = new HashMap<>();
        config.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
        config.put(ProducerConfig.ACKS_CONFIG, "all");
        config.put(ProducerConfig.LINGER_MS_CONFIG, LINGER_MS);
        config.put(ProducerConfig.BATCH_SIZE_CONFIG, BATCH_BYTES);
        config.put(ProducerConfig.BUFFER_MEMORY_CONFIG, BUFFER_BYTES);
        return config;
    }

    /** The record with a number. */
    public ProducerRecord<byte[], byte[]> record(long index) {
        int key = (int) (index % keys);
        byte[] value = new Payload(index, key, (int) (index / keys)).valueBytes(size);
        return new ProducerRecord<>(topic, Payload.keyBytes(key), value);
    }
}
