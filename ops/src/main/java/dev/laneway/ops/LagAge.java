package dev.laneway.ops;

/**
 * How long the first record that is not done has been in its partition. Immutable.
 *
 * @param low seconds that it is at least
 * @param high seconds that it is at most; infinite if there is no upper bound
 */
public record LagAge(double low, double high) {
    /** Nothing waits. */
    public static final LagAge NONE = new LagAge(0, 0);

    /** Nothing is known about it. */
    public static final LagAge UNBOUNDED = new LagAge(0, Double.POSITIVE_INFINITY);

    /** Checks the order of the bounds. */
    public LagAge {
        if (!(low >= 0 && high >= low)) {
            throw new IllegalArgumentException("bounds are " + low + " and " + high + " but must ascend from 0");
        }
    }

    /** Seconds: the middle of the bounds, or the lower one if there is no upper one. */
    public double seconds() {
        return isBounded() ? (low + high) / 2 : low;
    }

    /** Seconds by which the truth may differ from {@link #seconds()}, infinite if there is no upper bound. */
    public double error() {
        return (high - low) / 2;
    }

    /** Whether there is an upper bound. */
    public boolean isBounded() {
        return Double.isFinite(high);
    }

    /** What both bounds allow; the tighter of two that contradict each other by skewed timestamps is this one. */
    LagAge and(LagAge other) {
        double newLow = Math.max(low, other.low);
        double newHigh = Math.min(high, other.high);
        return newLow <= newHigh ? new LagAge(newLow, newHigh) : this;
    }
}
