package dev.laneway;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Measures how late a thread that runs every 10 ms was at worst: a platform thread, as owners are, and a virtual one,
 * as workers are.
 */
final class Lateness implements AutoCloseable {
    private static final long TICK_NANOS = 10_000_000;

    private final AtomicLong worstNanos = new AtomicLong();
    private volatile boolean ended;

    Lateness() {
        Thread.ofPlatform().daemon().start(this::tick);
        Thread.ofVirtual().start(this::tick);
    }

    private void tick() {
        while (!ended) {
            long due = System.nanoTime() + TICK_NANOS;
            for (long left = TICK_NANOS; left > 0; left = due - System.nanoTime()) {
                LockSupport.parkNanos(left);
            }
            worstNanos.accumulateAndGet(System.nanoTime() - due, Math::max);
        }
    }

    Duration worst() {
        return Duration.ofNanos(worstNanos.get());
    }

    @Override
    public void close() {
        ended = true;
    }
}
