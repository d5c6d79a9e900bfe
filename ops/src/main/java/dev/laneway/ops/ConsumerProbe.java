package dev.laneway.ops;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/**
 * Probes with a consumer of its own, which belongs to no group and commits nothing. It takes the right to read the
 * topics. Used by one thread.
 */
public final class ConsumerProbe implements RecordProbe {
    private static final Duration POLL = Duration.ofMillis(200);
    private static final Duration CLOSE = Duration.ofSeconds(1);

    private final Supplier<Consumer<byte[], byte[]>> consumers;

    /**
     * Makes a probe.
     *
     * @param consumers without a group, and best with max.poll.records=1 and the isolation level that is asked for;
     *     each is closed
     */
    public ConsumerProbe(Supplier<Consumer<byte[], byte[]>> consumers) {
        this.consumers = consumers;
    }

    @Override
    public Map<TopicPartition, OptionalLong> timestamps(Map<TopicPartition, Long> offsets, Duration limit) {
        Map<TopicPartition, OptionalLong> answers = new HashMap<>();
        if (offsets.isEmpty()) {
            return answers;
        }
        long deadline = System.nanoTime() + limit.toNanos();
        Consumer<byte[], byte[]> consumer = consumers.get();
        try {
            consumer.assign(offsets.keySet());
            offsets.forEach(consumer::seek);
            Map<TopicPartition, Long> ends = consumer.endOffsets(offsets.keySet(), limit);
            while (answers.size() < offsets.size() && System.nanoTime() < deadline) {
                ConsumerRecords<byte[], byte[]> records = consumer.poll(POLL);
                for (TopicPartition partition : List.copyOf(consumer.assignment())) {
                    List<ConsumerRecord<byte[], byte[]>> found = records.records(partition);
                    if (!found.isEmpty()) {
                        answers.putIfAbsent(
                                partition, OptionalLong.of(found.getFirst().timestamp()));
                    } else if (consumer.position(partition, limit) >= ends.getOrDefault(partition, Long.MAX_VALUE)) {
                        answers.putIfAbsent(partition, OptionalLong.empty());
                    }
                    if (answers.containsKey(partition)) {
                        consumer.pause(List.of(partition));
                    }
                }
            }
        } catch (KafkaException unanswered) {
            return answers; // The bounds without a probe are right, only wider.
        } finally {
            consumer.close(org.apache.kafka.clients.consumer.CloseOptions.timeout(CLOSE));
        }
        return answers;
    }
}
