package dev.laneway.engine.runtime;

import java.time.Duration;

/** Nanoseconds of durations that a user gives. Stateless. */
public final class DurationNanos {
    /** About 73 years; so far beyond any time that clocks tell that a sum of both never overflows. */
    private static final long MOST = Long.MAX_VALUE / 4;

    private static final Duration LONGEST = Duration.ofNanos(MOST);
    private static final Duration LEAST = Duration.ofNanos(-MOST);

    private DurationNanos() {}

    /** Of a duration of any length: what is longer than a clock can count is as good as for ever. */
    public static long of(Duration duration) {
        if (duration.compareTo(LONGEST) >= 0) {
            return MOST;
        }
        return duration.compareTo(LEAST) <= 0 ? -MOST : duration.toNanos();
    }
}
