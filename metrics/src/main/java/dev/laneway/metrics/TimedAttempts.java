package dev.laneway.metrics;

/**
 * Chooses the attempts that are timed. Where they follow each other: 1 in {@value #LEAST}, and of very many fewer, so
 * that about {@value #MOST_A_SECOND} a second are. Elsewhere: each one, up to {@value #MOST_OTHERS_A_SECOND} records a
 * second; of more, fewer. Which one it is depends on its offset alone: to leave one out costs neither a lock nor a
 * reading of the clock. Thread-safe.
 */
final class TimedAttempts {
    static final int LEAST = 64;

    private static final int MOST = 4_096;
    private static final int MOST_A_SECOND = 4_000;
    private static final int MOST_OTHERS_A_SECOND = 64_000;
    private static final long SLOT_NANOS = 20_000_000;
    /** The golden ratio in 64 bits: neighbours are spread evenly, and every 64th offset is not the same choice. */
    private static final long SPREAD = 0x9E37_79B9_7F4A_7C15L;
    /** Leaves as many bits as the largest mask has. */
    private static final int SHIFT = Long.SIZE - Integer.numberOfTrailingZeros(MOST);

    /** One less than how many there are for each that is chosen, a power of two. */
    private volatile long mask = LEAST - 1;

    private volatile long othersMask;
    /** Of this slot, by whoever fetches. */
    private long fetched;

    private long slotBegan;

    TimedAttempts(long nanos) {
        slotBegan = nanos;
    }

    /** @param follows whether it comes straight after that of the record before it */
    boolean isChosen(long offset, boolean follows) {
        return (((offset * SPREAD) >>> SHIFT) & (follows ? mask : othersMask)) == 0;
    }

    /** Records have come, of which an attempt each is to follow. */
    synchronized void fetched(int records, long nanos) {
        fetched += records;
        long took = nanos - slotBegan;
        if (took >= SLOT_NANOS) {
            double perSecond = (double) fetched * 1e9 / took;
            mask = oneIn(perSecond / MOST_A_SECOND, LEAST, MOST) - 1L;
            othersMask = oneIn(perSecond / MOST_OTHERS_A_SECOND, 1, LEAST) - 1L;
            fetched = 0;
            slotBegan = nanos;
        }
    }

    private static int oneIn(double wanted, int least, int most) {
        int oneIn = least;
        while (oneIn < most && wanted > oneIn) {
            oneIn *= 2;
        }
        return oneIn;
    }
}
