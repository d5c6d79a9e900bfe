package dev.laneway.metrics;

import java.util.OptionalDouble;

/**
 * Tells how long ago the log of one partition ended where the group is now: from pairs of a log's end and the time at
 * which it was seen there, with straight lines between, as kafka-lag-exporter does. Not thread-safe.
 */
final class LagClock {
    /** Pairs kept. When they are full every other one is dropped, so that they reach back ever further. */
    private static final int MOST = 64;

    private final long[] ends = new long[MOST];
    private final long[] nanos = new long[MOST];
    private int size;

    /** The log was seen to end here. */
    void saw(long end, long atNanos) {
        if (size > 1 && ends[size - 1] == end && ends[size - 2] == end) {
            nanos[size - 1] = atNanos; // It stands still: the first and the last time are enough.
            return;
        }
        if (size > 0 && end < ends[size - 1]) {
            size = 0; // The log was cut, or made anew.
        }
        if (size == MOST) {
            for (int i = 1; i < MOST / 2; i++) {
                ends[i] = ends[2 * i];
                nanos[i] = nanos[2 * i];
            }
            size = MOST / 2;
        }
        ends[size] = end;
        nanos[size] = atNanos;
        size++;
    }

    /** How long ago the log ended at this offset, in seconds; zero at the end; empty while nothing was seen. */
    OptionalDouble secondsSince(long offset, long nowNanos) {
        if (size == 0) {
            return OptionalDouble.empty();
        }
        if (offset >= ends[size - 1]) {
            return OptionalDouble.of(0);
        }
        int above = 0;
        while (ends[above] <= offset) {
            above++;
        }
        double then = nanos[above];
        if (above > 0) {
            double part = (double) (offset - ends[above - 1]) / (ends[above] - ends[above - 1]);
            then = nanos[above - 1] + part * (nanos[above] - nanos[above - 1]);
        }
        return OptionalDouble.of(Math.max(0, nowNanos - then) / 1e9);
    }
}
