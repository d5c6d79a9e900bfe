package dev.laneway.cli.workload;

import dev.laneway.cli.program.Text;
import dev.laneway.cli.program.VerbFailure;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Reads whole topics. Used by one thread. */
public final class TopicReader {
    private static final Duration POLL = Duration.ofMillis(200);
    private static final Duration STALL_LIMIT = Duration.ofSeconds(60);

    private TopicReader() {}

    /** Reads every record up to the given ends, the records of a partition in their order. */
    public static void read(
            Map<String, Object> kafkaConfig,
            Map<TopicPartition, Long> ends,
            Consumer<ConsumerRecord<byte[], byte[]>> records) {
        Map<String, Object> config = new HashMap<>(kafkaConfig);
        config.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false");
        config.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, 10_000);
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.assign(ends.keySet());
            consumer.seekToBeginning(ends.keySet());
            long movedNanos = System.nanoTime();
            while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
                boolean moved = false;
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                    records.accept(record);
                    moved = true;
                }
                long now = System.nanoTime();
                movedNanos = moved ? now : movedNanos;
                if (now - movedNanos > STALL_LIMIT.toNanos()) {
                    throw new VerbFailure(
                            "reading " + ends.keySet() + " gave nothing for " + Text.duration(STALL_LIMIT));
                }
            }
        }
    }
}
