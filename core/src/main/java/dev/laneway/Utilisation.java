package dev.laneway;

/**
 * How busy the workers were since the start, as counters: subtract two readings for a period. Immutable.
 *
 * @param busyNanos nanoseconds in which workers ran handlers, all workers together
 * @param blockedNanos the part of {@code busyNanos} in which a handler was waiting, estimated from samples
 * @param idleNanos nanoseconds of unused concurrency
 * @param workers the concurrency
 */
public record Utilisation(long busyNanos, long blockedNanos, long idleNanos, int workers) {
    /** The share of the concurrency in use since an earlier reading, 0 to 1. */
    public double since(Utilisation earlier) {
        long busy = busyNanos - earlier.busyNanos;
        long all = busy + idleNanos - earlier.idleNanos;
        return all <= 0 ? 0 : Math.min(1.0, (double) busy / all);
    }
}
