package dev.laneway.stream;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.internals.AutoOffsetResetStrategy;
import org.apache.kafka.common.TopicPartition;

/** Kafka's own consumer for tests, whose group gives it another partition with each poll, and never takes one away. */
final class GrowingConsumer extends MockConsumer<byte[], byte[]> {
    static final String TOPIC = "growing";
    /** More than any rule asks for. */
    private static final long MOST = 200;

    private static final long IDLE_NANOS = 200_000;

    private final long partitions;
    private final List<TopicPartition> assigned = new ArrayList<>();

    GrowingConsumer(long partitions) {
        super(AutoOffsetResetStrategy.EARLIEST.name());
        this.partitions = Math.min(MOST, partitions);
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
        if (assigned.size() < partitions) {
            TopicPartition next = new TopicPartition(TOPIC, assigned.size());
            updateBeginningOffsets(Map.of(next, 0L));
            updateEndOffsets(Map.of(next, 0L));
            assigned.add(next);
            rebalance(List.copyOf(assigned));
        } else {
            LockSupport.parkNanos(IDLE_NANOS);
        }
        return super.poll(limit);
    }
}
