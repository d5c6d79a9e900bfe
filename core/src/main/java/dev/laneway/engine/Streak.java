package dev.laneway.engine;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Acknowledgements that come in the order of delivery, which most do: each is one compare-and-swap, and takes no lock.
 * Everything that was delivered below {@link #end} is done, and the window learns of it when somebody looks at it.
 *
 * <p>{@link #goesOn} may be called by any thread; the rest is guarded by the feed's guard.
 */
final class Streak {
    private static final long NONE = -1;

    private final AtomicLong end = new AtomicLong(NONE);

    /**
     * The record at this offset, which was delivered, is done.
     *
     * @return whether nothing else is to be done about it; never when there is no streak
     */
    boolean goesOn(long offset) {
        long next = end.get();
        return offset < next || (offset == next && end.compareAndSet(next, next + 1));
    }

    /** Everything that was delivered below this is done; -1 when there is no streak. */
    long end() {
        return end.get();
    }

    /**
     * Goes on at a later offset: whatever was delivered between is done.
     *
     * @param from what {@link #end} has said; when it has changed since, nothing happens
     */
    void moveTo(long from, long offset) {
        end.compareAndSet(from, offset);
    }

    /** There is none any more; where it ended. */
    long stop() {
        return end.getAndSet(NONE);
    }
}
