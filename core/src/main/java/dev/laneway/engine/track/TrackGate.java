package dev.laneway.engine.track;

import dev.laneway.Ordering;
import java.util.function.IntSupplier;

/**
 * Whether the cursor of a track may start a record. Guarded by the track's guard; at {@link #isOpen} anybody may
 * glance.
 */
final class TrackGate {
    private final Ordering ordering;
    private final IntSupplier lanes;
    private volatile boolean open = true;
    private boolean paused;
    private boolean blocked;
    private boolean held;
    private boolean delayed;
    private boolean closed;
    private boolean dropped;

    /** @param lanes how many there are */
    TrackGate(Ordering ordering, IntSupplier lanes) {
        this.ordering = ordering;
        this.lanes = lanes;
    }

    boolean isOpen() {
        return open;
    }

    /** By the user. */
    boolean isPaused() {
        return paused;
    }

    void pause(boolean byUser) {
        paused = byUser;
        refresh();
    }

    /** An earlier assignment of the partition is still at work. */
    void block(boolean predecessorBusy) {
        blocked = predecessorBusy;
        refresh();
    }

    /** The key of the next record may be one that an earlier owner has spilled, see {@link RestoredKeys#mayPass}. */
    void hold(boolean keyUnknown) {
        held = keyUnknown;
        refresh();
    }

    /** The time of the next record has not come. */
    boolean isDelayed() {
        return delayed;
    }

    void delay(boolean untilItsTime) {
        delayed = untilItsTime;
        refresh();
    }

    /** Nothing starts any more, here. */
    boolean isClosed() {
        return closed;
    }

    void close() {
        closed = true;
        refresh();
    }

    /** The partition is given up: what comes is late. */
    boolean isDropped() {
        return dropped;
    }

    void drop() {
        close();
        dropped = true;
    }

    /** Lanes have come or gone. */
    void refresh() {
        boolean opens = !closed
                && !paused
                && !blocked
                && !held
                && !delayed
                && (ordering != Ordering.PARTITION || lanes.getAsInt() == 0);
        if (opens != open) { // Mostly not: a volatile write for each record would cost.
            open = opens;
        }
    }
}
