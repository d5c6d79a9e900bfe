package dev.laneway.engine.refill;

import dev.laneway.Health;
import dev.laneway.engine.runtime.HealthConditions;
import dev.laneway.engine.runtime.Host;
import dev.laneway.engine.runtime.ReadableDuration;
import dev.laneway.engine.track.RefillTarget;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells in log and health how far the reading of spilled records is, of each partition where it takes long. The task of
 * {@link LogRefill} only.
 */
final class RefillProgress {
    private static final Logger log = LoggerFactory.getLogger(RefillProgress.class);
    /** So long a partition is read before anything is told, and between two times. */
    private static final long INTERVAL_NANOS = 10_000_000_000L;
    /** Health forgets what is not told again. */
    private static final Duration VALID = Duration.ofNanos(INTERVAL_NANOS * 3 / 2);

    private final Host host;
    private final HealthConditions conditions;
    private final Map<RefillTarget, Run> runs = new HashMap<>();

    /** A partition that is being read. One that rested for an interval begins anew. */
    private static final class Run {
        final long sinceNanos;
        final long takenBefore;
        long seenNanos;
        long toldNanos;

        Run(long nowNanos, long taken) {
            this.sinceNanos = nowNanos;
            this.takenBefore = taken;
            this.seenNanos = nowNanos;
            this.toldNanos = nowNanos;
        }
    }

    RefillProgress(Host host, HealthConditions conditions) {
        this.host = host;
        this.conditions = conditions;
    }

    /** The partition is being read; to be called several times a second. */
    void goesOn(RefillTarget target) {
        long now = host.nanoTime();
        Run run = runs.get(target);
        if (run == null || now - run.seenNanos >= INTERVAL_NANOS) {
            runs.values().removeIf(other -> now - other.seenNanos >= INTERVAL_NANOS);
            run = new Run(now, target.taken());
            runs.put(target, run);
        }
        run.seenNanos = now;
        if (now - run.toldNanos >= INTERVAL_NANOS) {
            run.toldNanos = now;
            tell(target, target.taken() - run.takenBefore, now - run.sinceNanos);
        }
    }

    /** Reading the partition has paused or ended. */
    void rests(RefillTarget target) {
        if (target.records() == 0) {
            runs.remove(target);
            conditions.end(subject(target));
        }
    }

    private void tell(RefillTarget target, long taken, long nanos) {
        long left = target.records();
        double nanosPerRecord = (double) nanos / Math.max(1, taken);
        String told = "records of " + target.partition() + " that waited in the log are read again: "
                + (left == 0 ? "how many are left is not known; " : left + " or more are left; ")
                + taken + " were read in " + text(nanos) + " (" + Math.round(taken * 1e9 / nanos) + "/s)"
                + (left == 0 || taken == 0
                        ? ""
                        : ", so the others take about " + text(Math.round(nanosPerRecord * left)));
        log.info("{}", told);
        conditions.begin(subject(target), Health.Status.UP, told, VALID);
    }

    private static String text(long nanos) {
        return ReadableDuration.of(Duration.ofNanos(nanos));
    }

    private static HealthConditions.Subject subject(RefillTarget target) {
        return new HealthConditions.Subject(Health.Cause.REREADING, "refill progress", target.partition());
    }
}
