package dev.laneway.metrics;

import java.util.OptionalLong;

/**
 * When the latest fetches of one partition came. A record's own time is that of the first fetch that reaches it, so
 * that nothing has to be kept of each record. Thread-safe.
 */
final class FetchTimes {
    private static final int KEPT = 256;

    private final long[] lastOffsets = new long[KEPT];
    private final long[] nanos = new long[KEPT];
    /** How many there were; the place of the next one is this modulo {@link #KEPT}. */
    private long count;

    synchronized void fetched(long firstOffset, long lastOffset, long atNanos) {
        if (count > 0 && firstOffset <= lastOffsets[place(count - 1)]) {
            count = 0; // It was sought back.
        }
        lastOffsets[place(count)] = lastOffset;
        nanos[place(count)] = atNanos;
        count++;
    }

    /** When the record at this offset was fetched; empty if that was too long ago to be known. */
    synchronized OptionalLong at(long offset) {
        long low = Math.max(0, count - KEPT);
        long high = count;
        if (low == high || offset > lastOffsets[place(count - 1)]) {
            return OptionalLong.empty();
        }
        while (low < high) {
            long middle = (low + high) >>> 1;
            if (lastOffsets[place(middle)] < offset) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        boolean isOldest = low == Math.max(0, count - KEPT) && low > 0;
        return isOldest ? OptionalLong.empty() : OptionalLong.of(nanos[place(low)]);
    }

    private static int place(long number) {
        return (int) (number % KEPT);
    }
}
