package dev.laneway.engine;

import dev.laneway.engine.runtime.Host;
import dev.laneway.engine.track.Assignment;
import dev.laneway.engine.track.DelayedRecords;
import dev.laneway.engine.track.Lane;
import dev.laneway.engine.track.Partition;
import dev.laneway.engine.track.Track;
import java.util.List;

/** Starts records whose time has come, see {@link dev.laneway.NotBefore}. The owner only. */
final class DelayedStarts {
    private static final long MILLISECOND_NANOS = 1_000_000;
    /** What waits for less is not worth a note. */
    private static final long LONG_NANOS = 5_000_000_000L;
    /**
     * The longest poll while a worker may come to a record whose time is near: now and then the client misses the
     * wake-up that tells of it, which came while its coordinator read from the network.
     */
    private static final long MISSED_NANOS = 20_000_000;

    private final Host host;
    private final Assignment assignment;
    private final boolean haveTimes;
    private final boolean areSome;

    /**
     * @param haveTimes whether records can have a time
     * @param areSpilled whether they can be dropped while they wait
     */
    DelayedStarts(Host host, Assignment assignment, boolean haveTimes, boolean areSpilled) {
        this.host = host;
        this.assignment = assignment;
        this.haveTimes = haveTimes;
        this.areSome = haveTimes || areSpilled;
    }

    /** A lane's next attempt is made after this. */
    void retries(Lane lane, long delayNanos) {
        if (areSome && delayNanos >= LONG_NANOS) {
            DelayedRecords.retriesAt(lane, host.epochMillis() + delayNanos / MILLISECOND_NANOS);
        }
    }

    /** Once a turn; returns how long that may wait, {@code otherwise} where nothing is to be started sooner. */
    long turn(long otherwise) {
        if (!areSome) {
            return otherwise;
        }
        long now = host.epochMillis();
        long next = Long.MAX_VALUE;
        boolean comes = false;
        List<Partition> all = assignment.all();
        for (int i = 0; i < all.size(); i++) {
            Track track = all.get(i).track;
            if (track != null) {
                next = Math.min(next, DelayedRecords.start(track, now));
                next = Math.min(next, track.spilled.readAgain(now));
                comes |= haveTimes && track.ledger.allRecords() > 0 && !DelayedRecords.areAll(track);
            }
        }
        long most = comes ? Math.min(otherwise, MISSED_NANOS) : otherwise;
        long left = next - now;
        return left >= most / MILLISECOND_NANOS ? most : Math.max(0, left) * MILLISECOND_NANOS;
    }
}
