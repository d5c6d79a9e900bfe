package dev.laneway.engine.handle;

import dev.laneway.engine.track.TrackLedger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Acknowledgements that come in the order of delivery, which most do: each is one compare-and-swap, and takes no lock.
 * Everything that was delivered below its end is done, and the window learns of it when somebody looks at it.
 *
 * <p>{@link #goesOn} may be called by any thread; the rest is guarded by the feed's guard.
 */
final class InOrderAcks {
    private static final long NONE = -1;

    private final TrackLedger ledger;
    private final AtomicLong end = new AtomicLong(NONE);
    /** Up to where the window has learnt of it. */
    private long learned;

    InOrderAcks(TrackLedger ledger) {
        this.ledger = ledger;
    }

    /**
     * The record at this offset, which was delivered, is done.
     *
     * @return whether nothing else is to be done about it; never when there is no streak
     */
    boolean goesOn(long offset) {
        long next = end.get();
        return offset < next || (offset == next && end.compareAndSet(next, next + 1));
    }

    /** Lets the window learn of it. */
    void learn() {
        learn(end.get());
    }

    private void learn(long to) {
        if (to > learned) {
            ledger.acknowledgeUpTo(to - 1);
            learned = to;
        }
    }

    /** Goes on at the first undone record; what was delivered before that is done. */
    void follow() {
        long from = end.get();
        learn(from);
        long oldest = ledger.oldest();
        if (oldest > from) {
            end.compareAndSet(from, oldest); // When it has gone on since, nothing happens.
        }
    }

    /** There is none any more; the window learns of where it ended. */
    void stop() {
        learn(end.getAndSet(NONE));
    }
}
