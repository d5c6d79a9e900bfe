package dev.laneway.stream;

import dev.laneway.engine.handle.AckHandle;
import dev.laneway.engine.sim.SimVerdict;
import dev.laneway.testkit.sim.Simulation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongPredicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Checks the invariants of streams at each signal, call and commit. Keeps the first violation for the driver, since an
 * exception inside a stream would count as a failure of an element.
 */
final class StreamCheck extends SimVerdict {
    private final Map<TopicPartition, Long> stored = new HashMap<>();
    /** The records that the group's commits name as done. */
    private final Map<TopicPartition, Set<Long>> known = new HashMap<>();

    private final Map<TopicPartition, Set<Long>> handled = new HashMap<>();
    /** What was acknowledged of each assignment. */
    private final Map<AckHandle, Set<Long>> acknowledged = new HashMap<>();

    StreamCheck(Simulation sim) {
        super(sim);
    }

    /** An element comes to its end, and is acknowledged next. */
    void acknowledges(CommittableRecord<byte[], byte[]> record) {
        long offset = record.record().offset();
        sim.trace().event("acknowledge", record);
        handled.computeIfAbsent(record.partition(), id -> new HashSet<>()).add(offset);
        acknowledged.computeIfAbsent(record.delivered(), any -> new HashSet<>()).add(offset);
    }

    /** @param current the committing member's assignment of the partition; null when it has none */
    void commits(String member, TopicPartition id, @Nullable AckHandle current, long offset, LongPredicate isDone) {
        String name = member + " commits " + offset + " of " + id;
        sim.trace().event("commit", member, id, offset);
        if (current == null) {
            breach("B35 " + name + ", which it does not have");
            return;
        }
        Set<Long> own = acknowledged.getOrDefault(current, Set.of());
        Set<Long> before = known.getOrDefault(id, Set.of());
        for (ConsumerRecord<byte[], byte[]> record : sim.broker().records(id)) {
            long at = record.offset();
            if (isDone.test(at) && !own.contains(at) && !before.contains(at)) {
                breach("B1 " + name + ", and says that " + at + " is done, which nobody has acknowledged");
            }
        }
    }

    /** The group has stored it. */
    void stored(TopicPartition id, long offset, LongPredicate isDone) {
        Long before = stored.put(id, offset);
        if (before != null && before > offset) {
            breach("B14 the committed offset of " + id + " goes back from " + before + " to " + offset);
        }
        Set<Long> done = known.computeIfAbsent(id, any -> new HashSet<>());
        sim.broker().records(id).stream()
                .map(ConsumerRecord::offset)
                .filter(isDone::test)
                .forEach(done::add);
    }

    boolean isStored(TopicPartition id, long offset) {
        return known.getOrDefault(id, Set.of()).contains(offset);
    }

    /** At the end: each record was done. */
    void nothingIsMissing(List<TopicPartition> partitions) {
        for (TopicPartition id : partitions) {
            for (ConsumerRecord<byte[], byte[]> record : sim.broker().records(id)) {
                if (!handled.getOrDefault(id, Set.of()).contains(record.offset())) {
                    breach("B4 " + id + "@" + record.offset() + " was never handled");
                }
            }
        }
    }

    /** Which elements must follow one another. */
    enum Order {
        PARTITION,
        KEY,
        NONE
    }

    /** The elements at one place of a stream, whose order is checked. */
    static final class Sequence {
        private final Map<List<Object>, Long> latest = new HashMap<>();
        private final Order order;

        Sequence(Order order) {
            this.order = order;
        }

        /** Null when the element may follow those before it. */
        @Nullable
        String why(CommittableRecord<byte[], byte[]> record) {
            if (order == Order.NONE) {
                return null;
            }
            List<Object> lane = new ArrayList<>(List.of(record.delivered()));
            if (order == Order.KEY) {
                lane.add(key(record));
            }
            long offset = record.record().offset();
            Long before = latest.put(lane, offset);
            return before != null && before >= offset ? "B18 " + record + " after " + before : null;
        }
    }

    /** The key by which mapByKey keeps elements in order. */
    static Object key(CommittableRecord<byte[], byte[]> record) {
        return record.partition() + " " + (record.key() == null ? "none" : Arrays.toString(record.key()));
    }
}
