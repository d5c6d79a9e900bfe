package dev.laneway.engine;

import dev.laneway.Ordering;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * What handlers have seen, and the promises that hold at each call: nothing is handled twice, and what must not overlap
 * does not and comes in order. Guarded by whoever calls it.
 */
public final class Handled {
    private final Ordering ordering;
    private final Map<String, ConsumerRecord<byte[], byte[]>> running = new HashMap<>();
    private final Map<String, Long> lastDone = new HashMap<>();
    private final Set<String> done = new HashSet<>();
    private final Map<Integer, Set<Long>> offsets = new HashMap<>();
    private final Map<Integer, Integer> begun = new HashMap<>();
    private final List<String> wrong = new ArrayList<>();

    public Handled(Ordering ordering) {
        this.ordering = ordering;
    }

    public void begins(ConsumerRecord<byte[], byte[]> record) {
        begun.merge(record.partition(), 1, Integer::sum);
        // Scenes interrupt records of partition 0 only, and may do so before the handler has begun.
        if (record.partition() > 0 && Thread.currentThread().isInterrupted()) {
            wrong.add(name(record) + " met an interrupt meant for another");
        }
        String lane = lane(record);
        ConsumerRecord<byte[], byte[]> other = running.put(lane, record);
        if (other != null) {
            wrong.add(name(record) + " began while " + name(other) + " ran in lane " + lane);
        }
        if (done.contains(name(record))) {
            wrong.add(name(record) + " began again after it was done");
        }
        if (lastDone.getOrDefault(lane, -1L) > record.offset()) {
            wrong.add(name(record) + " began after a later record of lane " + lane);
        }
    }

    /** Its attempt has ended; it is done, or will be tried again. */
    public void ends(ConsumerRecord<byte[], byte[]> record, boolean isDone) {
        running.remove(lane(record));
        if (isDone) {
            done.add(name(record));
            offsets.computeIfAbsent(record.partition(), partition -> new HashSet<>())
                    .add(record.offset());
            lastDone.merge(lane(record), record.offset(), Math::max);
        }
    }

    /** How many attempts have begun in a partition. */
    public int begun(int partition) {
        return begun.getOrDefault(partition, 0);
    }

    /** The offsets of a partition that are done. */
    public Set<Long> offsets(int partition) {
        return offsets.getOrDefault(partition, Set.of());
    }

    public void check() {
        if (!wrong.isEmpty()) {
            throw new AssertionError(wrong);
        }
    }

    private String lane(ConsumerRecord<byte[], byte[]> record) {
        String partition = record.topic() + record.partition();
        return switch (ordering) {
            case PARTITION -> partition;
            case KEY -> partition + "#" + Records.key(record);
            case UNORDERED -> name(record);
        };
    }

    private static String name(ConsumerRecord<byte[], byte[]> record) {
        return record.topic() + "-" + record.partition() + "@" + record.offset();
    }
}
