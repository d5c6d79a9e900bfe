package dev.laneway.stream;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * How much of what a sink has sent is on its way no more, acknowledged or given up, and how much of it starts the drain
 * again. Any thread.
 *
 * <p>The producer's thread writes here for each answer, so nothing that the drain uses for each element may be on the
 * same cache line: else the line goes to and fro between two cores, which was measured to cost more than a third of a
 * record's time. Hence an array with as much unused before and behind.
 */
final class SettledCount {
    private static final int RECORDS = 8;
    private static final int BYTES = 9;
    private static final int AWAITED = 10;
    private static final int LENGTH = 24;

    private final AtomicLongArray counts = new AtomicLongArray(LENGTH);

    SettledCount() {
        awaitNothing();
    }

    /** An element is on its way no more; whether that starts the drain, which then asks anew. */
    boolean add(int records, long bytes) {
        counts.addAndGet(BYTES, bytes);
        boolean awaited = counts.addAndGet(RECORDS, records) >= counts.get(AWAITED);
        if (awaited) {
            awaitNothing();
        }
        return awaited;
    }

    long records() {
        return counts.get(RECORDS);
    }

    long bytes() {
        return counts.get(BYTES);
    }

    /** So many records start the drain; whether there are so many already. The drain only. */
    boolean await(long records) {
        counts.set(AWAITED, records);
        return counts.get(RECORDS) >= records;
    }

    /** No number of records starts the drain. */
    void awaitNothing() {
        if (counts.get(AWAITED) != Long.MAX_VALUE) {
            counts.set(AWAITED, Long.MAX_VALUE);
        }
    }
}
