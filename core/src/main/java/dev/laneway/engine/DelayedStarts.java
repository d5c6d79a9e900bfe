package dev.laneway.engine;

import dev.laneway.engine.runtime.Host;
import dev.laneway.engine.track.Assignment;
import dev.laneway.engine.track.DelayedRecords;
import dev.laneway.engine.track.Partition;
import dev.laneway.engine.track.Track;

/** Starts records whose time has come, see {@link dev.laneway.NotBefore}. The owner only. */
final class DelayedStarts {
    private static final long MILLISECOND_NANOS = 1_000_000;

    private final Host host;
    private final Assignment assignment;
    private final boolean areSome;

    /** @param areSome whether records can have a time */
    DelayedStarts(Host host, Assignment assignment, boolean areSome) {
        this.host = host;
        this.assignment = assignment;
        this.areSome = areSome;
    }

    /** Once a turn; returns how long that may wait, {@code otherwise} where nothing is to be started sooner. */
    long turn(long otherwise) {
        if (!areSome) {
            return otherwise;
        }
        long now = host.epochMillis();
        long next = Long.MAX_VALUE;
        for (Partition partition : assignment.all()) {
            Track track = partition.track;
            if (track != null) {
                next = Math.min(next, DelayedRecords.start(track, now));
            }
        }
        long left = next - now;
        return left >= otherwise / MILLISECOND_NANOS ? otherwise : Math.max(0, left) * MILLISECOND_NANOS;
    }
}
