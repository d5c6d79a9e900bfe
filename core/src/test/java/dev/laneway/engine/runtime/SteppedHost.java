package dev.laneway.engine.runtime;

import dev.laneway.interleave.Steps;
import java.util.Random;
import java.util.random.RandomGenerator;

/** A machine whose threads belong to a run of interleavings. Nothing in it ends a wait but what is waited for. */
public final class SteppedHost implements Host {
    private static final long TICK_NANOS = 4_000;

    private long nowNanos;
    private volatile boolean unparked;

    @Override
    public long nanoTime() {
        nowNanos += TICK_NANOS;
        return nowNanos;
    }

    @Override
    public long epochMillis() {
        return nowNanos / 1_000_000;
    }

    @Override
    public RandomGenerator random() {
        return new Random(1);
    }

    @Override
    public void execute(Runnable worker) {
        Steps.spawn(worker);
    }

    /** May be wrong, as in life. */
    @Override
    public boolean isWaiting(Thread thread) {
        return Steps.choose(3) > 0;
    }

    @Override
    public void relax() {
        Steps.yieldToOthers();
    }

    @Override
    public void park(long nanos) {
        Steps.await(() -> unparked);
        unparked = false;
    }

    @Override
    public void unpark(Thread owner) {
        unparked = true;
    }

    @Override
    public void close() {}
}
