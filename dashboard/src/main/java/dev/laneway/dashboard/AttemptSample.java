package dev.laneway.dashboard;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/**
 * Chooses the attempts that are looked at: all of them up to 20,000 a second, and one in 64 beyond that. Which one it
 * is depends on its offset alone, so that it costs neither a lock nor a reading of the clock to leave one out.
 * Thread-safe.
 */
final class AttemptSample {
    private static final int ONE_IN = 64;
    private static final long SLOT_NANOS = 100_000_000;
    private static final int MOST_IN_SLOT = 2_000;
    /** 2^64 by the golden ratio: offsets that a rhythm of keys picks, such as each 64th, are spread by it. */
    private static final long SPREAD = 0x9E3779B97F4A7C15L;

    private static final int SHIFT = Long.SIZE - Integer.numberOfTrailingZeros(ONE_IN);

    private final LongSupplier nanos;
    private final AtomicInteger chosen = new AtomicInteger(); // Within the slot.
    private volatile int weight = 1;
    private volatile long slotBegan;

    AttemptSample(LongSupplier nanos) {
        this.nanos = nanos;
        this.slotBegan = nanos.getAsLong();
    }

    /** For how many first attempts the one of this record stands; 0 if it is left out. */
    int weight(long offset) {
        int now = weight;
        return now == 1 || (offset * SPREAD) >>> SHIFT == 0 ? now : 0;
    }

    /** A first attempt that was chosen begins. */
    void chose(long now) {
        if (chosen.incrementAndGet() > MOST_IN_SLOT) {
            weight = ONE_IN;
        }
        if (now - slotBegan >= SLOT_NANOS) {
            look();
        }
    }

    /** Called now and then, since nobody calls {@link #chose} after the last attempt of many. */
    synchronized void look() {
        long now = nanos.getAsLong();
        long took = now - slotBegan;
        if (took >= SLOT_NANOS) {
            double inSlot = (double) chosen.getAndSet(0) * weight * SLOT_NANOS / took;
            weight = inSlot > (weight == 1 ? MOST_IN_SLOT : MOST_IN_SLOT / 2) ? ONE_IN : 1;
            slotBegan = now;
        }
    }
}
