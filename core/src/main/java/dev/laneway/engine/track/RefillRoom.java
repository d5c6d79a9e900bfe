package dev.laneway.engine.track;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How much of what was spilled may be held again, beside what is held and what a poll may bring. The owner grants it
 * anew in each turn; whoever reads again takes from it. Thread-safe.
 */
public final class RefillRoom {
    private final AtomicLong records = new AtomicLong();
    private final AtomicLong bytes = new AtomicLong();
    private final Runnable onLack;
    private volatile boolean isLacking;
    private volatile boolean wasAsked;
    private volatile boolean isAlone;
    private volatile long mostOfOne = Long.MAX_VALUE;

    /** @param onLack lets the owner grant more soon */
    public RefillRoom(Runnable onLack) {
        this.onLack = onLack;
    }

    /**
     * Before the owner looks at what is held: what is taken from now on is taken from what it grants then. Whether
     * anybody has asked for room since it granted some.
     */
    public boolean close() {
        boolean was = wasAsked;
        isAlone = false;
        records.set(0);
        bytes.set(0);
        return was;
    }

    /**
     * Grants so much.
     *
     * @param most a partition that holds so many records reads more for lanes that stand still only
     * @param alone whether the first record may be of any size: nothing else is held, and one passes alone
     */
    public void grant(long moreRecords, long moreBytes, long most, boolean alone) {
        mostOfOne = most;
        isAlone = alone;
        records.set(Math.max(0, moreRecords));
        bytes.set(Math.max(0, moreBytes));
        wasAsked = false;
    }

    /** Whether there was no room for a record since this was asked last. */
    public boolean wasLacking() {
        boolean was = isLacking;
        if (was) {
            isLacking = false;
        }
        return was;
    }

    /**
     * Whether a partition that holds so many records may read more again for lanes that go on. Else one would take all
     * room, the others' lanes would stand still until it comes free, and what it read would be spilled again.
     */
    boolean hasShareLeft(long held) {
        return held < mostOfOne;
    }

    /** Whether a record of this size has room; if it has, {@link #take} follows when it counts as held. */
    boolean has(long size) {
        boolean room = records.get() > 0 && (isAlone || bytes.get() >= size);
        wasAsked = true;
        if (!room && !isLacking) {
            isLacking = true;
            onLack.run();
        }
        return room;
    }

    /** Takes bytes for what is no record, if there are so many. */
    boolean takeBytes(long size) {
        long left = bytes.get();
        while (left >= size) {
            if (bytes.compareAndSet(left, left - size)) {
                return true;
            }
            left = bytes.get();
        }
        return false;
    }

    void take(long size) {
        isAlone = false;
        records.decrementAndGet();
        bytes.addAndGet(-size);
    }
}
