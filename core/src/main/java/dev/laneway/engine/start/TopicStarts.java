package dev.laneway.engine.start;

import dev.laneway.engine.runtime.Host;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.kafka.common.TopicPartition;

/**
 * The topics that this member begins for its group, and the partitions of other members whose starts are found here for
 * that. All starts of a topic are committed at once: what is left out is taken for a partition that was added later.
 * The owner only.
 */
final class TopicStarts {
    /** So long the partitions of a topic that is begun wait for those without an answer. */
    private static final long TOGETHER_NANOS = 4_000_000_000L;
    /** So long a member without partition 0 waits for the one that has it, for each partition before its own. */
    private static final long BEGINNER_NANOS = 10_000_000_000L;

    private static final int LONGEST_WAITS = 6;

    private final Host host;
    /** Forgets one everywhere else. */
    private final Consumer<PartitionStart> forget;

    private final Map<TopicPartition, PartitionStart> others = new HashMap<>();
    /** Since when each topic is begun here. */
    private final Map<String, Long> sinceNanos = new HashMap<>();

    TopicStarts(Host host, Consumer<PartitionStart> forget) {
        this.host = host;
        this.forget = forget;
    }

    boolean isEmpty() {
        return others.isEmpty();
    }

    /**
     * Whether the member with partition 0 has had its time. It may be another program, or dead and not missed yet. The
     * members do not lose patience all at once, since one is enough.
     *
     * @param mine this member's partitions that are starting
     */
    boolean beginsInstead(PartitionStart start, Collection<PartitionStart> mine) {
        long waitedNanos = host.nanoTime() - start.sinceNanos;
        if (waitedNanos < BEGINNER_NANOS) {
            return false; // Most often, and without a look at all the others.
        }
        int lowest = mine.stream()
                .filter(own -> own.id.topic().equals(start.id.topic()))
                .mapToInt(own -> own.id.partition())
                .min()
                .orElse(start.id.partition());
        return waitedNanos >= BEGINNER_NANOS * Math.clamp(lowest, 1, LONGEST_WAITS);
    }

    /** This member begins the topic; returns those partitions of others whose starts are to be found now. */
    List<PartitionStart> begin(String topic, Set<TopicPartition> more) {
        sinceNanos.putIfAbsent(topic, host.nanoTime());
        List<PartitionStart> added = new ArrayList<>();
        for (TopicPartition id : more) {
            PartitionStart other = new PartitionStart(id, false, host.nanoTime());
            if (others.putIfAbsent(id, other) == null) {
                added.add(other);
            }
        }
        return added;
    }

    /** It is committed. */
    void begun(PartitionStart other) {
        others.remove(other.id);
    }

    /** Topics that have begun are not begun here any more. */
    void rest(Collection<PartitionStart> mine) {
        sinceNanos
                .keySet()
                .removeIf(topic -> Stream.concat(others.values().stream(), mine.stream())
                        .noneMatch(start -> start.id.topic().equals(topic)));
    }

    /** Whether this member begins the topic. */
    boolean begins(String topic) {
        return sinceNanos.containsKey(topic);
    }

    /** This member begins the topic no more. */
    void leave(String topic) {
        sinceNanos.remove(topic);
        List.copyOf(others.values()).stream()
                .filter(other -> other.id.topic().equals(topic))
                .forEach(this::leave);
    }

    /**
     * Those of the known starts that may be committed: of a topic that is begun here, once all of its starts are known.
     * Those without an answer are left to their members after a while.
     *
     * @param known the starts that wait for their commit
     * @param mine this member's partitions that are starting
     */
    List<PartitionStart> together(List<PartitionStart> known, Collection<PartitionStart> mine) {
        if (sinceNanos.isEmpty()) {
            return List.copyOf(known);
        }
        Map<String, List<PartitionStart>> missing = new HashMap<>(); // One look at all of them, however many are known.
        Stream.concat(others.values().stream(), mine.stream())
                .filter(start -> start.offset < 0)
                .forEach(start -> missing.computeIfAbsent(start.id.topic(), _ -> new ArrayList<>())
                        .add(start));
        return List.copyOf(known).stream()
                .filter(start -> isTogether(start.id.topic(), missing))
                .toList();
    }

    private boolean isTogether(String topic, Map<String, List<PartitionStart>> allMissing) {
        Long since = sinceNanos.get(topic);
        List<PartitionStart> missing = allMissing.get(topic);
        if (since == null || missing == null) {
            return true;
        }
        boolean isOver = host.nanoTime() - since >= TOGETHER_NANOS;
        if (!isOver) {
            return false;
        }
        allMissing.remove(topic);
        missing.stream().filter(other -> !other.own).forEach(this::leave);
        return true;
    }

    private void leave(PartitionStart other) {
        others.remove(other.id, other);
        forget.accept(other);
    }
}
