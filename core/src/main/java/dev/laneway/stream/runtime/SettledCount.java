package dev.laneway.stream.runtime;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Counts what a sink has sent and what was since acknowledged or given up, and at which count the drain starts again.
 * Any thread.
 *
 * <p>The producer's thread writes here for each answer. If the drain's own fields were on the same cache line, the line
 * would move between two cores, which cost more than a third of a record's time when measured. So the counters are in
 * an array with unused space around them.
 */
public final class SettledCount {
    private static final int RECORDS = 8;
    private static final int BYTES = 9;
    private static final int AWAITED = 10;
    private static final int LENGTH = 24;

    private final AtomicLongArray counts = new AtomicLongArray(LENGTH);

    public SettledCount() {
        awaitNothing();
    }

    /** Counts an element as settled. Returns whether that starts the drain, which then sets the next count. */
    public boolean add(int records, long bytes) {
        counts.addAndGet(BYTES, bytes);
        boolean awaited = counts.addAndGet(RECORDS, records) >= counts.get(AWAITED);
        if (awaited) {
            awaitNothing();
        }
        return awaited;
    }

    public long records() {
        return counts.get(RECORDS);
    }

    public long bytes() {
        return counts.get(BYTES);
    }

    /** Makes this count of records start the drain. Returns whether it is already reached. The drain only. */
    public boolean await(long records) {
        counts.set(AWAITED, records);
        return counts.get(RECORDS) >= records;
    }

    /** Lets no count start the drain. */
    public void awaitNothing() {
        if (counts.get(AWAITED) != Long.MAX_VALUE) {
            counts.set(AWAITED, Long.MAX_VALUE);
        }
    }
}
