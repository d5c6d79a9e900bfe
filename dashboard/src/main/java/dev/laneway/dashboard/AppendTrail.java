package dev.laneway.dashboard;

import dev.laneway.ops.LagAge;

/**
 * Where the log of one partition ended at which time: tells how long the record at an offset has been there, as far as
 * that was watched. Used by one thread.
 */
final class AppendTrail {
    private final double[] seconds;
    private final long[] ends;
    private int first;
    private int size;

    /** @param most how many changes are kept */
    AppendTrail(int most) {
        seconds = new double[most];
        ends = new long[most];
    }

    /** The log ended there; ends that are lower than the one before start anew, since the log was cut. */
    void add(double atSeconds, long end) {
        if (size > 0 && end < last()) {
            size = 0;
        }
        if (size > 0 && end == last()) {
            // Only the time until which an end lasted tells how old the next record is at most.
            if (size > 1 && ends[index(size - 2)] == end) {
                seconds[index(size - 1)] = atSeconds;
                return;
            }
        }
        if (size == ends.length) {
            first = (first + 1) % ends.length;
            size--;
        }
        seconds[index(size)] = atSeconds;
        ends[index(size)] = end;
        size++;
    }

    private int index(int at) {
        return (first + at) % ends.length;
    }

    private long last() {
        return ends[index(size - 1)];
    }

    /** How long the record at this offset has been in the log. */
    LagAge age(double nowSeconds, long offset) {
        if (size == 0) {
            return LagAge.UNBOUNDED;
        }
        if (last() <= offset) {
            return LagAge.NONE;
        }
        int at = size - 1;
        while (at >= 0 && ends[index(at)] > offset) {
            at--;
        }
        double low = Math.max(0, nowSeconds - seconds[index(at + 1)]);
        return new LagAge(low, at < 0 ? Double.POSITIVE_INFINITY : Math.max(low, nowSeconds - seconds[index(at)]));
    }

    /** Records a second in the latest time. */
    double rate(double nowSeconds, double period) {
        if (size < 2) {
            return 0;
        }
        int at = size - 1;
        while (at > 0 && nowSeconds - seconds[index(at)] < period) {
            at--;
        }
        double time = seconds[index(size - 1)] - seconds[index(at)];
        return time <= 0 ? 0 : (last() - ends[index(at)]) / time;
    }
}
