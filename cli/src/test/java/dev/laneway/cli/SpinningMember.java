package dev.laneway.cli;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** A member of a group that is busy with each record for 5 ms, until it is killed. */
final class SpinningMember {
    private static final long BUSY_NANOS = 5_000_000;

    private SpinningMember() {}

    /** Takes the brokers, the topic and the group. */
    public static void main(String[] args) {
        Map<String, Object> config = Map.of(
                "bootstrap.servers",
                args[0],
                "group.id",
                args[2],
                "auto.offset.reset",
                "earliest",
                "auto.commit.interval.ms",
                "500",
                "max.poll.records",
                "20");
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.subscribe(List.of(args[1]));
            while (!Thread.currentThread().isInterrupted()) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofSeconds(1))) {
                    long end = System.nanoTime() + BUSY_NANOS + record.serializedValueSize();
                    while (System.nanoTime() - end < 0) {
                        Thread.onSpinWait();
                    }
                }
            }
        }
    }
}
