package dev.laneway.metrics;

/**
 * Chooses the attempts that are timed where they follow each other: 1 in {@value #LEAST}, and of very many fewer, so
 * that about {@value #MOST_A_SECOND} a second are. Which one it is depends on its offset alone: to leave one out costs
 * neither a lock nor a reading of the clock. Thread-safe.
 */
final class TimedAttempts {
    static final int LEAST = 64;

    private static final int MOST = 4_096;
    private static final int MOST_A_SECOND = 4_000;
    private static final long SLOT_NANOS = 100_000_000;
    /** The golden ratio in 64 bits: neighbours are spread evenly, and every 64th offset is not the same choice. */
    private static final long SPREAD = 0x9E37_79B9_7F4A_7C15L;

    private volatile int shift = shift(LEAST);
    /** Of this slot, by whoever fetches. */
    private long fetched;

    private long slotBegan;

    TimedAttempts(long nanos) {
        slotBegan = nanos;
    }

    boolean isChosen(long offset) {
        return (offset * SPREAD) >>> shift == 0;
    }

    /** Records have come, of which an attempt each is to follow. */
    synchronized void fetched(int records, long nanos) {
        fetched += records;
        long took = nanos - slotBegan;
        if (took >= SLOT_NANOS) {
            double perSecond = (double) fetched * 1e9 / took;
            int oneIn = LEAST;
            while (oneIn < MOST && perSecond / oneIn > MOST_A_SECOND) {
                oneIn *= 2;
            }
            shift = shift(oneIn);
            fetched = 0;
            slotBegan = nanos;
        }
    }

    private static int shift(int oneIn) {
        return Long.SIZE - Integer.numberOfTrailingZeros(oneIn);
    }
}
