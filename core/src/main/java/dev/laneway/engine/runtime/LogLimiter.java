package dev.laneway.engine.runtime;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Lets one message a second through and counts the others: what fails a thousand times a second must not fill the disk.
 * Thread-safe.
 */
public final class LogLimiter {
    private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long NEVER = Long.MIN_VALUE;

    private final Host host;
    private final AtomicLong last = new AtomicLong(NEVER);
    private final AtomicLong withheld = new AtomicLong();

    public LogLimiter(Host host) {
        this.host = host;
    }

    /** How many messages were withheld since the last one, if this one may be said; -1 if it may not. */
    public long withheld() {
        long now = host.nanoTime();
        long before = last.get();
        if ((before == NEVER || now - before >= INTERVAL_NANOS) && last.compareAndSet(before, now)) {
            return withheld.getAndSet(0);
        }
        withheld.incrementAndGet();
        return -1;
    }
}
