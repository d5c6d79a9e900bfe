package dev.laneway;

/**
 * Where the workers' time went since the start, as counters, so that any window can be made of two readings. Immutable.
 *
 * @param busyNanos worker-nanoseconds with work in hand
 * @param blockedNanos the part of {@code busyNanos} in which a handler was seen to wait for something other than the
 *     processor
 * @param idleNanos worker-nanoseconds of the concurrency that were not used
 * @param workers the concurrency that these are measured against
 */
public record Utilisation(long busyNanos, long blockedNanos, long idleNanos, int workers) {
    /** The share of the concurrency in use since an earlier reading, 0 to 1. */
    public double since(Utilisation earlier) {
        long busy = busyNanos - earlier.busyNanos;
        long all = busy + idleNanos - earlier.idleNanos;
        return all <= 0 ? 0 : Math.min(1.0, (double) busy / all);
    }
}
