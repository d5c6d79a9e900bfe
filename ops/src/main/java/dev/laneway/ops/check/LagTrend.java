package dev.laneway.ops.check;

import dev.laneway.ops.RobustSlope;

/**
 * How a lag moves. Immutable.
 *
 * @param perSecond records by which it grows; negative if it shrinks
 */
record LagTrend(Direction direction, double perSecond) {
    static final LagTrend UNKNOWN = new LagTrend(Direction.UNKNOWN, Double.NaN);

    /** Of all pairs of samples so many must rise, or fall. */
    private static final double CLEAR = 0.75;
    /** Fewer records than this are the work of one poll. */
    private static final double LEAST = 10;

    /** Up, down, or neither. */
    enum Direction {
        GROWS,
        SHRINKS,
        STEADY,
        UNKNOWN
    }

    /** @param noise records by which it may move without a meaning */
    static LagTrend of(double[] times, double[] values, double noise) {
        RobustSlope slope = RobustSlope.of(times, values);
        double moved = slope.perUnit() * (times[times.length - 1] - times[0]);
        boolean isMuch = Math.abs(moved) > Math.max(LEAST, noise);
        if (isMuch && moved > 0 && slope.rising() >= CLEAR) {
            return new LagTrend(Direction.GROWS, slope.perUnit());
        }
        if (isMuch && moved < 0 && slope.rising() <= 1 - CLEAR) {
            return new LagTrend(Direction.SHRINKS, slope.perUnit());
        }
        return new LagTrend(Direction.STEADY, slope.perUnit());
    }

    boolean grows() {
        return direction == Direction.GROWS;
    }
}
