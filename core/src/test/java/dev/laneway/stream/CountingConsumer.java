package dev.laneway.stream;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.clients.consumer.internals.AutoOffsetResetStrategy;
import org.apache.kafka.common.TopicPartition;

/** Kafka's own consumer for tests, with so many records in one partition, made as they are fetched. */
final class CountingConsumer extends MockConsumer<byte[], byte[]> {
    static final TopicPartition PARTITION = new TopicPartition("numbers", 0);
    private static final int POLL = 7;
    private static final long IDLE_NANOS = 200_000;

    private final long records;
    private final Queue<Runnable> unanswered = new ArrayDeque<>();
    private long made;

    CountingConsumer(long records) {
        super(AutoOffsetResetStrategy.EARLIEST.name());
        this.records = records;
        updateBeginningOffsets(Map.of(PARTITION, 0L));
        updateEndOffsets(Map.of(PARTITION, records));
    }

    /** Kafka's own answers for each partition, with null where nothing is committed; MockConsumer leaves those out. */
    @Override
    public synchronized Map<TopicPartition, OffsetAndMetadata> committed(Set<TopicPartition> ids) {
        Map<TopicPartition, OffsetAndMetadata> known = super.committed(ids);
        Map<TopicPartition, OffsetAndMetadata> all = new HashMap<>();
        ids.forEach(id -> all.put(id, known.get(id)));
        return all;
    }

    @Override
    public synchronized ConsumerRecords<byte[], byte[]> poll(Duration limit) {
        answer();
        if (!paused().isEmpty() || made == records) {
            LockSupport.parkNanos(IDLE_NANOS);
        } else if (assignment().contains(PARTITION)) {
            for (long end = Math.min(records, made + POLL); made < end; made++) {
                byte[] number = Long.toString(made).getBytes(java.nio.charset.StandardCharsets.UTF_8);
                addRecord(new ConsumerRecord<>(PARTITION.topic(), PARTITION.partition(), made, number, number));
            }
        }
        return super.poll(limit);
    }

    /** MockConsumer would answer at once, inside the call; Kafka's answers in a later poll or synchronous commit. */
    @Override
    public synchronized void commitAsync(
            Map<TopicPartition, OffsetAndMetadata> offsets, OffsetCommitCallback callback) {
        if (callback == null) {
            super.commitAsync(offsets, null); // A synchronous commit.
        } else {
            unanswered.add(() -> super.commitAsync(offsets, callback));
        }
    }

    @Override
    public synchronized void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets, Duration limit) {
        answer();
        super.commitSync(offsets, limit);
    }

    private void answer() {
        for (Runnable commit = unanswered.poll(); commit != null; commit = unanswered.poll()) {
            commit.run();
        }
    }

    static Subscription all() {
        return Subscription.assignment(List.of(PARTITION));
    }
}
