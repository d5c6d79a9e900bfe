package dev.laneway.orders;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** A call of another service for each record, as far as the caller sees one: a wait. Thread-safe. */
final class ExternalCall {
    private final long nanos;

    ExternalCall(Duration length) {
        this.nanos = length.toNanos();
    }

    /** Waits so long, less if the thread is interrupted. */
    void await() {
        if (nanos == 0) {
            return;
        }
        long end = System.nanoTime() + nanos;
        for (long left = nanos; left > 0 && !Thread.currentThread().isInterrupted(); left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
