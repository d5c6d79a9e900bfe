package dev.laneway.engine.runtime;

import java.time.Duration;
import java.util.Locale;

/** Durations as people write them, for the log: 86 ms, 1.5 s, 5 min. */
public final class ReadableDuration {
    private static final long MILLI = 1_000_000;
    private static final long SECOND = 1_000 * MILLI;
    private static final long TEN_SECONDS = 10 * SECOND;
    private static final long TWO_MINUTES = 120 * SECOND;

    private ReadableDuration() {}

    /** The duration in the unit that suits it, rounded. */
    public static String of(Duration duration) {
        if (duration.compareTo(Duration.ofHours(2)) >= 0) {
            return duration.toHours() + " h";
        }
        long nanos = DurationNanos.of(duration);
        if (nanos < SECOND) {
            return nanos > 0 && nanos < MILLI ? "less than 1 ms" : nanos / MILLI + " ms";
        }
        if (nanos < TEN_SECONDS) {
            return String.format(Locale.ROOT, "%.1f s", (double) nanos / SECOND);
        }
        return nanos < TWO_MINUTES ? nanos / SECOND + " s" : nanos / SECOND / 60 + " min";
    }
}
