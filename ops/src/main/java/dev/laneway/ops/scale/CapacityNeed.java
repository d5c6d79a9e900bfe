package dev.laneway.ops.scale;

/** How many records a second there must be capacity for, as Flink's autoscaler reckons it. Pure functions. */
final class CapacityNeed {
    private CapacityNeed() {}

    /**
     * For the load at a busy share, with what waits and what a change leaves waiting processed within a time:
     * {@code lag/catchUp + append*restart/catchUp + append/busy}.
     */
    static double of(double append, double lag, double busyShare, double restartSeconds, double catchUpSeconds) {
        return lag / catchUpSeconds + append * restartSeconds / catchUpSeconds + append / busyShare;
    }

    /** For a latency: {@code append + max(0, lag - append*goal)/recover}. */
    static double forLatency(double append, double lag, double goalSeconds, double recoverSeconds) {
        return append + Math.max(0, lag - append * goalSeconds) / recoverSeconds;
    }
}
