package dev.laneway.engine;

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
    private long lookNanos;

    CommitRefresh(Host host, Duration interval) {
        this.host = host;
        this.intervalNanos = interval.toNanos();
        this.lookNanos = host.nanoTime();
    }

    /** The broker has confirmed what the partition has committed. */
    void confirmed(Partition partition) {
        partition.confirmedNanos = host.nanoTime();
    }

    /** Whether what the partition has committed is so old that it is committed again, though nothing is new. */
    boolean isDue(Partition partition) {
        return isDue(partition, host.nanoTime());
    }

    private boolean isDue(Partition partition, long nowNanos) {
        if (partition.confirmedNanos == NEVER) {
            partition.confirmedNanos = nowNanos; // It has just come.
        }
        return partition.committed != null && nowNanos - partition.confirmedNanos >= intervalNanos;
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
