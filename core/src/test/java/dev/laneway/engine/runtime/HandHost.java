package dev.laneway.engine.runtime;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;
import java.util.concurrent.RejectedExecutionException;
import java.util.random.RandomGenerator;

/** A machine that a test moves by hand, on one thread: time passes and workers run when the test says so. */
public final class HandHost implements Host {
    public final Deque<Runnable> executed = new ArrayDeque<>();
    public long nowNanos = 1_000_000_000;
    /** So much passes at most at each reading of the clock, by chance. */
    int mostTickNanos;

    private final Random ticks = new Random(1);
    long parkedNanos;
    int parks;
    int unparks;
    boolean waiting;
    boolean full;
    /** What happens while the owner waits. */
    public Runnable onPark = () -> {};
    /** What happens while a background task waits. */
    public Runnable onSleep = () -> {};
    /** Null for one that always says the same. */
    public RandomGenerator random;

    @Override
    public long nanoTime() {
        nowNanos += mostTickNanos == 0 ? 0 : ticks.nextInt(mostTickNanos);
        return nowNanos;
    }

    @Override
    public long epochMillis() {
        return nowNanos / 1_000_000;
    }

    @Override
    public RandomGenerator random() {
        return random == null ? new Random(1) : random;
    }

    @Override
    public void execute(Runnable worker) {
        if (full) {
            throw new RejectedExecutionException("full");
        }
        executed.add(worker);
    }

    @Override
    public boolean isWaiting(Thread thread) {
        return waiting;
    }

    @Override
    public void relax() {
        nowNanos += 1_000;
    }

    @Override
    public void park(long nanos) {
        parks++;
        parkedNanos += nanos;
        nowNanos += nanos;
        onPark.run();
    }

    @Override
    public void sleep(long nanos) {
        nowNanos += nanos;
        onSleep.run();
    }

    @Override
    public void unpark(Thread owner) {
        unparks++;
    }

    @Override
    public void close() {}

    /** Runs workers, one after another, until none is left. */
    public void runWorkers() {
        for (Runnable worker = executed.poll(); worker != null; worker = executed.poll()) {
            worker.run();
        }
    }

    public void pass(long millis) {
        nowNanos += millis * 1_000_000;
    }
}
