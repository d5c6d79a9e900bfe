package dev.laneway.engine;

import dev.laneway.engine.runtime.Host;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;

/** A machine on which time stands still and no worker ever runs: what the engine asks of it is counted. */
public class StressHost implements Host {
    private final AtomicInteger started = new AtomicInteger();
    private volatile boolean woken;

    /** How many workers were started. */
    public int started() {
        return started.get();
    }

    /** Ends the owner's wait. */
    public void wake() {
        woken = true;
    }

    /**
     * Waits for {@link #wake}, as long as somebody may still call it.
     *
     * @param over whether nobody will any more
     * @return whether somebody did
     */
    public boolean awaitWake(BooleanSupplier over) {
        while (!woken) {
            if (over.getAsBoolean()) {
                return woken;
            }
            Thread.onSpinWait();
        }
        return true;
    }

    @Override
    public long nanoTime() {
        return 0;
    }

    @Override
    public long epochMillis() {
        return 0;
    }

    @Override
    public RandomGenerator random() {
        throw new UnsupportedOperationException("nothing here is left to chance");
    }

    @Override
    public void execute(Runnable worker) {
        started.incrementAndGet();
    }

    @Override
    public boolean isWaiting(Thread thread) {
        return false;
    }

    @Override
    public void relax() {
        // Nobody watches a runner here.
    }

    @Override
    public void park(long nanos) {
        // Returns early, as it may.
    }

    @Override
    public void unpark(Thread owner) {
        wake();
    }

    @Override
    public void close() {
        // It has no threads.
    }
}
