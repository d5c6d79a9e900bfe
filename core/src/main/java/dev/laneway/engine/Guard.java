package dev.laneway.engine;

import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A lock in which nobody queues, for what is short and wanted by thousands of virtual threads and by the owner.
 * Reentrant; {@code try (var _ = guard.enter()) { ... }}.
 *
 * <p>Whoever waits for a monitor or a fair lock is handed it in turn. A virtual thread has then yet to be mounted,
 * behind all those that can run, and nobody behind it gets the lock meanwhile: with 10,000 at once the owner waited 25
 * ms for a look at a partition. Here the first to come gets it, so the owner waits for the holder alone.
 */
final class Guard implements AutoCloseable {
    /** Looks before a thread makes room for others: a holder that runs has mostly given it back by then. */
    private static final int SPINS = 32;
    /** Turns given to others before a thread sleeps: the holder's own thread may be one of lower priority. */
    private static final int YIELDS = 256;

    private static final long NAP_NANOS = 50_000;

    private final ReentrantLock lock = new ReentrantLock();

    /** Waits until the lock is free, and takes it. */
    Guard enter() {
        if (!lock.tryLock()) {
            contend();
        }
        return this;
    }

    @SuppressWarnings("ThreadPriorityCheck") // A yield is a courtesy: the nap guarantees progress.
    private void contend() {
        for (int tries = 0; !lock.tryLock(); tries++) {
            if (tries < SPINS) {
                Thread.onSpinWait();
            } else if (tries < YIELDS) {
                Thread.yield();
            } else {
                LockSupport.parkNanos(this, NAP_NANOS);
            }
        }
    }

    /** Gives the lock back. */
    @Override
    public void close() {
        lock.unlock();
    }
}
