package dev.laneway;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** How late a thread that wants to run every 10 ms has run, at worst, between the start and the end of this. */
final class Lateness implements AutoCloseable {
    private static final long TICK_NANOS = 10_000_000;

    private final Thread thread = Thread.ofPlatform().daemon().unstarted(this::tick);
    private volatile boolean ended;
    private volatile long worstNanos;

    Lateness() {
        thread.start();
    }

    private void tick() {
        while (!ended) {
            long due = System.nanoTime() + TICK_NANOS;
            for (long left = TICK_NANOS; left > 0; left = due - System.nanoTime()) {
                LockSupport.parkNanos(left);
            }
            worstNanos = Math.max(worstNanos, System.nanoTime() - due);
        }
    }

    Duration worst() {
        return Duration.ofNanos(worstNanos);
    }

    @Override
    public void close() {
        ended = true;
    }
}
