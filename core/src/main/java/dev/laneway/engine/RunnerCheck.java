package dev.laneway.engine;

import dev.laneway.engine.handle.Scheduler;
import dev.laneway.engine.runtime.EventCounts;

/** When does the owner look at the runners again? More rarely as long as it starts nobody. The owner only. */
final class RunnerCheck {
    private static final long LEAST_NANOS = 50_000;
    private static final long MOST_NANOS = 1_000_000;

    private final Scheduler scheduler;
    private final EventCounts counts;
    private long nextNanos;
    private long intervalNanos = LEAST_NANOS;
    private long workersSeen;

    RunnerCheck(Scheduler scheduler, EventCounts counts) {
        this.scheduler = scheduler;
        this.counts = counts;
    }

    /** Looks, if it is time; returns how soon it must be asked again, {@code otherwise} when it need not. */
    long turn(long now, long otherwise) {
        if (now - nextNanos < 0) {
            return nextNanos - now;
        }
        boolean again = scheduler.checkRunners();
        long started = counts.workersStarted.sum();
        intervalNanos = started != workersSeen ? LEAST_NANOS : Math.min(MOST_NANOS, intervalNanos * 2);
        workersSeen = started;
        nextNanos = now + intervalNanos;
        return again ? intervalNanos : otherwise;
    }
}
