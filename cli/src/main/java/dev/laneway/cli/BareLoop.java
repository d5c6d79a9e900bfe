package dev.laneway.cli;

import dev.laneway.cli.workload.Simulated;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * The bare poll loop: one consumer that polls and handles one record after the other, and commits nothing. Used by one
 * thread.
 */
final class BareLoop {
    private static final Duration POLL = Duration.ofMillis(100);
    private static final Duration JOIN_LIMIT = Duration.ofSeconds(30);

    private final Map<String, Object> kafkaConfig;
    private final String topic;
    private final Duration work;

    BareLoop(Map<String, Object> kafkaConfig, String topic, Duration work) {
        this.kafkaConfig = kafkaConfig;
        this.topic = topic;
        this.work = work;
    }

    /**
     * What the loop did. Immutable.
     *
     * @param records handled
     * @param joined from the subscription to the first record
     * @param worked from the first record's handler to the last one's end
     */
    record Result(long records, Duration joined, Duration worked) {
        public double rate() {
            return records / Math.max(1e-9, worked.toNanos() / 1e9);
        }
    }

    /** Handles records from the topic's start until one of the limits is reached or the caller wants it stopped. */
    Result run(long maxRecords, Duration maxTime, BooleanSupplier stopped) throws InterruptedException {
        Map<String, Object> config = new HashMap<>(kafkaConfig);
        config.put(
                ConsumerConfig.GROUP_ID_CONFIG,
                "laneway-bare-" + topic + "-" + ProcessHandle.current().pid());
        config.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        config.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.subscribe(List.of(topic));
            return run(consumer, maxRecords, maxTime, stopped);
        }
    }

    private Result run(
            KafkaConsumer<byte[], byte[]> consumer, long maxRecords, Duration maxTime, BooleanSupplier stopped)
            throws InterruptedException {
        long subscribed = System.nanoTime();
        long first = 0;
        long last = 0;
        long records = 0;
        while (records < maxRecords && !stopped.getAsBoolean()) {
            for (ConsumerRecord<byte[], byte[]> _ : consumer.poll(POLL)) {
                if (records == 0) {
                    first = System.nanoTime();
                }
                Simulated.work(work);
                if (++records >= maxRecords
                        || stopped.getAsBoolean()
                        || (!work.isZero() && System.nanoTime() - first >= maxTime.toNanos())) {
                    break;
                }
            }
            last = System.nanoTime();
            if (records > 0 ? last - first >= maxTime.toNanos() : last - subscribed > JOIN_LIMIT.toNanos()) {
                break;
            }
        }
        return records == 0
                ? new Result(0, Duration.ofNanos(last - subscribed), Duration.ZERO)
                : new Result(records, Duration.ofNanos(first - subscribed), Duration.ofNanos(last - first));
    }
}
