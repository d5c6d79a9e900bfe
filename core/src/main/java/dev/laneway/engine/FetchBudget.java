package dev.laneway.engine;

/**
 * What may be held in one turn, and what all partitions hold together. Immutable.
 *
 * @param partitions how many share it
 * @param heldRecords the records that they hold, and {@code heldBytes} their bytes
 * @param lackingRecords how many records those partitions that hold less than the low mark lack of it, all together
 * @param highMark so many records of its own pause a partition; half of that is the low mark
 * @param bufferRecords the records that they may hold, and {@code bufferBytes} their bytes
 * @param pollRecords the most records that a poll returns
 * @param pollBytes the most bytes that the next poll may return, as far as polls have told
 * @param chunkBytes the most bytes that it may return of a partition of which nothing larger has come
 * @param isLent whether a partition holds more than its share
 * @param hasGrown whether more records may be held than in the turn before
 * @param isFull whether nothing may be fetched until enough records are done
 * @param independent whether no partition ever waits for what another one holds
 */
record FetchBudget(
        int partitions,
        long heldRecords,
        long heldBytes,
        long lackingRecords,
        long highMark,
        long bufferRecords,
        long bufferBytes,
        int pollRecords,
        long pollBytes,
        long chunkBytes,
        boolean isLent,
        boolean hasGrown,
        boolean isFull,
        boolean independent) {
    static final FetchBudget NONE = new FetchBudget(1, 0, 0, 0, 1, 0, 0, 0, 0, 0, false, false, false, false);

    /** The high mark: a poll less than an equal share, but at least half of that. */
    static long highMark(long bufferRecords, int partitions, int pollRecords) {
        long share = Math.max(1, bufferRecords / partitions);
        return share > 2L * pollRecords ? share - pollRecords : Math.max(1, share / 2);
    }

    /** Whether what the next poll may return fits in, whichever partitions it is of. */
    boolean isRoomy() {
        return heldBytes + pollBytes <= bufferBytes;
    }

    /**
     * How many records may be lent beside what the next poll may return; negative where even that is not free. What
     * partitions lack of their low marks is kept for them, and a poll for each other one, since a poll may bring one
     * that much more than it lacks; but of several polls a quarter of the budget at most.
     */
    long lendableRecords() {
        long polls = Math.min((partitions - 1L) * pollRecords, Math.max(pollRecords, bufferRecords / 4));
        return bufferRecords - heldRecords - lackingRecords - polls - pollRecords;
    }
}
