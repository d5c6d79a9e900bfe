package dev.laneway.ops.control;

import java.time.Duration;

/**
 * Lets members be started, more slowly the more of them end at once. After one that has, one at a time is tried, and
 * the pause before the next doubles; one that lives makes it as it was. Used by one thread.
 */
final class StartBackOff {
    private static final Duration FIRST = Duration.ofSeconds(1);
    private static final Duration LONGEST = Duration.ofMinutes(5);

    private long pauseNanos;
    private long untilNanos;

    /** A member has ended soon after its start. */
    void failed(long nowNanos) {
        pauseNanos = pauseNanos == 0 ? FIRST.toNanos() : Math.min(LONGEST.toNanos(), 2 * pauseNanos);
        untilNanos = nowNanos + pauseNanos;
    }

    /** A member lives. */
    void lives() {
        pauseNanos = 0;
    }

    /** How many of some may be started now, where so many that were started lately may still end soon. */
    int allowed(int wanted, int onTrial, long nowNanos) {
        if (pauseNanos == 0) {
            return wanted;
        }
        return nowNanos - untilNanos < 0 || onTrial > 0 ? 0 : Math.min(1, wanted);
    }

    /** The pause before the next start, in seconds. */
    long pauseSeconds() {
        return pauseNanos / 1_000_000_000;
    }
}
