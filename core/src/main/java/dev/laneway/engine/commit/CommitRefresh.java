package dev.laneway.engine.commit;

import dev.laneway.engine.offsets.Progress;
import dev.laneway.engine.runtime.Host;
import dev.laneway.engine.track.Assignment;
import dev.laneway.engine.track.Partition;
import dev.laneway.engine.track.PartitionStates;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Which unchanged progress is committed again? A broker forgets what a group has committed some time after its last
 * member has left, and a group whose partitions are assigned by hand has none: its offsets age from their commit on. So
 * a partition without records would start anew one day, while its consumer runs. The owner only.
 */
final class CommitRefresh {
    private static final long NEVER = Long.MIN_VALUE;
    /** The longest time between two looks. */
    private static final long LONGEST_NANOS = 1_000_000_000;

    private final Host host;
    private final long intervalNanos;
    private final PartitionStates<Age> ages;
    private long lookNanos;

    /** How old one partition's commit is. */
    private static final class Age {
        /** When the broker confirmed what is committed, or it was seen first. */
        long confirmedNanos = NEVER;
    }

    CommitRefresh(Host host, Assignment assignment, Duration interval) {
        this.host = host;
        this.intervalNanos = interval.toNanos();
        this.ages = new PartitionStates<>(assignment, _ -> new Age());
        this.lookNanos = host.nanoTime();
    }

    /** The broker has confirmed what the partition has committed. */
    void confirmed(Partition partition) {
        ages.of(partition).confirmedNanos = host.nanoTime();
    }

    /** Whether what the partition has committed is so old that it is committed again, though nothing is new. */
    boolean isDue(Partition partition) {
        return isDue(partition, host.nanoTime());
    }

    private boolean isDue(Partition partition, long nowNanos) {
        Age age = ages.of(partition);
        if (age.confirmedNanos == NEVER) {
            age.confirmedNanos = nowNanos; // It has just come.
        }
        return partition.committed != null && nowNanos - age.confirmedNanos >= intervalNanos;
    }

    /**
     * What has been committed of those that are due: for committers that do not compare all progress at an interval of
     * their own. Looks now and then only; mostly empty.
     */
    Map<Partition, Progress> due(Collection<Partition> partitions) {
        long now = host.nanoTime();
        if (now - lookNanos < 0) {
            return Map.of();
        }
        lookNanos = now + Math.min(LONGEST_NANOS, intervalNanos);
        Map<Partition, Progress> due = new LinkedHashMap<>(); // Ordered, so that a seed replays.
        for (Partition partition : partitions) {
            Progress committed = partition.committed;
            if (isDue(partition, now) && committed != null) {
                due.put(partition, committed);
            }
        }
        return due;
    }
}
