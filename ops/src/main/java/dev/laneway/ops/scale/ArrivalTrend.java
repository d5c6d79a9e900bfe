package dev.laneway.ops.scale;

import org.jspecify.annotations.Nullable;

/**
 * Whether a load has just risen: what came since the last look and between the two before it, against what came earlier
 * in a window. A mean over a window follows a step as slowly as the window is long; to follow each look would be to
 * follow chance. So only what chance does not explain counts, and only when two looks have seen it, since the first may
 * have begun before the step. Immutable.
 *
 * @param risenRate records that come in a second since the load has risen; null if it has not
 * @param isRising whether it was seen once only
 */
public record ArrivalTrend(@Nullable Double risenRate, boolean isRising) {
    /** As it was. */
    public static final ArrivalTrend NONE = new ArrivalTrend(null, false);

    /**
     * Two counts of a Poisson process that differ by so many standard deviations differ not by chance, all day long.
     */
    private static final double DEVIATIONS = 4;

    /** Less than that is no step: the mean follows it in time. */
    private static final double LEAST_RISE = 1.2;

    /**
     * Compares the last two looks with what was before them.
     *
     * @param earlier what came in the window before the last two looks
     * @param before what came from the look before last to the last one
     * @param latest what came since then
     */
    public static ArrivalTrend of(Count earlier, Count before, Count latest) {
        if (earlier.seconds <= 0 || before.seconds <= 0 || latest.seconds <= 0 || !latest.isMoreThan(earlier)) {
            return NONE;
        }
        return before.isMoreThan(earlier) ? new ArrivalTrend(latest.rate(), false) : new ArrivalTrend(null, true);
    }

    /**
     * Records that came in a time.
     *
     * @param records number of them
     * @param seconds in which they came
     */
    public record Count(double records, double seconds) {
        /** Nothing was counted. */
        public static final Count NONE = new Count(0, 0);

        /** What came to both, in the same time. */
        public Count plus(Count other) {
            return new Count(records + other.records, Math.max(seconds, other.seconds));
        }

        private double rate() {
            return records / seconds;
        }

        /** Both were counted, so both are by chance: what is known from a short time may be off by as much. */
        private boolean isMoreThan(Count other) {
            double usual = other.rate() * seconds;
            double variance = usual * (1 + seconds / other.seconds);
            return records > usual * LEAST_RISE && records > usual + DEVIATIONS * Math.sqrt(Math.max(1, variance));
        }
    }
}
