package dev.laneway.engine.runtime;

import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;

/**
 * What the engine needs of the machine it runs on: time, chance, threads. Production has {@link JvmHost}; a simulation
 * has its own, and with it every turn can be replayed from a seed. Thread-safe, but for {@link #park}.
 */
public interface Host {
    /** As {@link System#nanoTime()}. */
    long nanoTime();

    /** As {@link System#currentTimeMillis()}, to compare with timestamps of records; it may jump. */
    long epochMillis();

    /** Randomness for jitter, for the calling thread. */
    RandomGenerator random();

    /**
     * Runs a worker on a thread of its own.
     *
     * @throws java.util.concurrent.RejectedExecutionException when the executor takes no more
     */
    void execute(Runnable worker);

    /** Runs something that waits for the broker, on a thread of its own that is never refused. */
    default void background(Runnable task) {
        execute(task);
    }

    /** Lets a background task wait. */
    default void sleep(long nanos) {
        LockSupport.parkNanos(nanos);
    }

    /** Whether the thread waits for something other than the processor. May be wrong at the moment that it is read. */
    boolean isWaiting(Thread thread);

    /** Lets other workers run between two looks at the same record. */
    void relax();

    /** Lets the owner wait for {@link #unpark}, for at most {@code nanos}; may return early. */
    void park(long nanos);

    /** Ends the owner's {@link #park}, or its next one. */
    void unpark(Thread owner);

    /**
     * Ends the threads that this host has started itself; called once, after the last worker has ended or was given up.
     */
    void close();
}
