package dev.laneway.orders;

import java.util.concurrent.atomic.LongAdder;

/** What a tracker has done since it was started. Thread-safe. */
final class TrackerCounts {
    /** Events that changed the status of an order. */
    final LongAdder advanced = new LongAdder();

    /** Events that came after a later one, and changed no status. */
    final LongAdder late = new LongAdder();

    /** Events that were known. */
    final LongAdder repeated = new LongAdder();

    /** Events that came so late that the order may be forgotten: left out. */
    final LongAdder tooLate = new LongAdder();

    /** Records without a key, or whose value is no event: left out. */
    final LongAdder malformed = new LongAdder();

    /** Orders whose state was removed. */
    final LongAdder forgotten = new LongAdder();

    long records() {
        return advanced.sum() + late.sum() + repeated.sum() + tooLate.sum() + malformed.sum();
    }
}
