package dev.laneway.ops.simulate;

import java.util.Arrays;

/** Counts times in classes that are at most 1.6 % wide. Used by one thread. */
final class Latencies {
    private static final int BITS = 6;
    private static final int PARTS = 1 << BITS;

    private final long[] counts = new long[(Long.SIZE - BITS) * PARTS];
    private long total;
    private long max;

    void add(long nanos) {
        counts[index(nanos)]++;
        total++;
        max = Math.max(max, nanos);
    }

    void clear() {
        if (total > 0) {
            Arrays.fill(counts, 0);
            total = 0;
            max = 0;
        }
    }

    double maxSeconds() {
        return (double) max / 1e9;
    }

    /** The time that so large a share of all does not exceed, in seconds; 0 if there is none. */
    double seconds(double share) {
        long rank = (long) Math.ceil(share * (double) total);
        long seen = 0;
        for (int i = 0; i < counts.length && total > 0; i++) {
            seen += counts[i];
            if (seen >= rank) {
                return Math.min((double) max, middle(i)) / 1e9;
            }
        }
        return 0;
    }

    private static int index(long nanos) {
        int shift = Math.max(0, Long.SIZE - BITS - 1 - Long.numberOfLeadingZeros(nanos));
        return shift * PARTS + (int) (nanos >>> shift);
    }

    private static double middle(int index) {
        int shift = Math.max(0, index / PARTS - 1);
        long low = (long) (index - shift * PARTS) << shift;
        return (double) low + (double) ((1L << shift) - 1) / 2;
    }
}
