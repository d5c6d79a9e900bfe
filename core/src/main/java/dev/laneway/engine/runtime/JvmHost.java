package dev.laneway.engine.runtime;

import dev.laneway.Workers;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The real machine: the only file of the engine that reads a clock, lets a thread wait for an event or makes one for a
 * worker. Thread-safe.
 */
public final class JvmHost implements Host {
    /** Threads of virtual workers have so many names, a power of two: as many at once are told apart. */
    private static final int NAMES = 1 << 8;

    private final String name;
    private final Executor executor;
    private final @Nullable ExecutorService owned;

    public JvmHost(String name, Workers workers) {
        this.name = name;
        switch (workers) {
            case Workers.Virtual() -> {
                // A bare thread per worker: an executor would keep a set of them, and each worker would pay for it
                // twice. A factory per name is made once, and they take turns: with 10,000 waiting, to make a name for
                // each thread took a twentieth of the CPU time.
                AtomicReferenceArray<@Nullable ThreadFactory> factories = new AtomicReferenceArray<>(NAMES);
                AtomicInteger next = new AtomicInteger();
                executor = worker -> factory(factories, next.getAndIncrement() & NAMES - 1)
                        .newThread(worker)
                        .start();
                owned = null;
            }
            case Workers.CpuBound(int threads) -> {
                owned = Executors.newFixedThreadPool(
                        threads,
                        Thread.ofPlatform().daemon().name(name + "-worker-", 0).factory());
                executor = owned;
            }
            case Workers.On(Executor given) -> {
                executor = given;
                owned = null;
            }
        }
    }

    private ThreadFactory factory(AtomicReferenceArray<@Nullable ThreadFactory> factories, int number) {
        ThreadFactory known = factories.get(number);
        if (known == null) {
            known = Thread.ofVirtual().name(name + "-worker-" + number).factory();
            factories.set(number, known);
        }
        return known;
    }

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public long epochMillis() {
        return System.currentTimeMillis();
    }

    @Override
    public RandomGenerator random() {
        return ThreadLocalRandom.current();
    }

    @Override
    public void execute(Runnable worker) {
        executor.execute(worker);
    }

    @Override
    public void background(Runnable task) {
        Thread.ofVirtual().name(name + "-background").start(task);
    }

    @Override
    public boolean isWaiting(Thread thread) {
        return switch (thread.getState()) {
            case WAITING, TIMED_WAITING, BLOCKED -> true;
            case NEW, RUNNABLE, TERMINATED -> false;
        };
    }

    @Override
    @SuppressWarnings("ThreadPriorityCheck") // A hint is all that is wanted: whoever yields comes back to look.
    public void relax() {
        Thread.yield();
    }

    @Override
    public void park(long nanos) {
        LockSupport.parkNanos(this, nanos);
    }

    @Override
    public void unpark(Thread owner) {
        LockSupport.unpark(owner);
    }

    @Override
    public void close() {
        if (owned != null) {
            owned.shutdownNow();
        }
    }
}
