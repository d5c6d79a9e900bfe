package dev.laneway.testkit.sim;

import java.util.function.Consumer;

/** An action scheduled on a {@link SimClock}. Thread contract: the same as the clock's. */
public final class SimTimer {
    private final long atNanos;
    private final long sequence;
    private final Runnable action;
    private final Consumer<SimTimer> unschedule;
    private boolean pending = true;

    SimTimer(long atNanos, long sequence, Runnable action, Consumer<SimTimer> unschedule) {
        this.atNanos = atNanos;
        this.sequence = sequence;
        this.action = action;
        this.unschedule = unschedule;
    }

    /** When it is due, in the nanoseconds of {@link SimClock#nanoTime()}. */
    public long atNanos() {
        return atNanos;
    }

    /** Whether it has neither run nor been cancelled. */
    public boolean isPending() {
        return pending;
    }

    /** Cancels it. Does nothing if it has already run. */
    public void cancel() {
        if (pending) {
            pending = false;
            unschedule.accept(this);
        }
    }

    long sequence() {
        return sequence;
    }

    void fire() {
        pending = false;
        action.run();
    }
}
