package dev.laneway.testkit;

import java.util.concurrent.TimeUnit;

/** What a {@link TcpProxy} currently does to bytes of one direction. Thread-safe. */
final class ProxyWeather {
    /** What happens to bytes. */
    enum Flow {
        OPEN,
        /** They wait. */
        CUT,
        /** They are lost. */
        SWALLOWED
    }

    private static final long UNLIMITED = 0;

    private Flow flow = Flow.OPEN;
    private long delayNanos;
    private long bytesPerSecond = UNLIMITED;
    private long passed;

    synchronized void flow(Flow newFlow) {
        flow = newFlow;
        notifyAll();
    }

    synchronized void delay(long nanos) {
        delayNanos = nanos;
        notifyAll();
    }

    synchronized void throttle(long newBytesPerSecond) {
        bytesPerSecond = newBytesPerSecond;
        notifyAll();
    }

    synchronized void clear() {
        flow = Flow.OPEN;
        delayNanos = 0;
        bytesPerSecond = UNLIMITED;
        notifyAll();
    }

    /** Waits until bytes get through, neither cut nor lost. */
    synchronized void awaitOpen() throws InterruptedException {
        while (flow != Flow.OPEN) {
            wait();
        }
    }

    synchronized boolean isSwallowing() {
        return flow == Flow.SWALLOWED;
    }

    /**
     * Waits until bytes that came at this time are due.
     *
     * @return whether they get through; false if they are lost
     */
    synchronized boolean awaitDue(long cameNanos) throws InterruptedException {
        while (true) {
            long left = cameNanos + delayNanos - System.nanoTime();
            if (flow == Flow.CUT) {
                wait();
            } else if (left > 0) {
                wait(millis(left));
            } else {
                return flow == Flow.OPEN;
            }
        }
    }

    /** The most bytes to be written at once: a twentieth of a second's, so that a rate is smooth. */
    synchronized int slice(int available) {
        return bytesPerSecond == UNLIMITED ? available : Math.clamp(bytesPerSecond / 20, 1, available);
    }

    /** Counts bytes that were written, and waits as long as they take. */
    synchronized void pace(int bytes) throws InterruptedException {
        passed += bytes;
        long since = System.nanoTime();
        while (bytesPerSecond != UNLIMITED) {
            long left = bytes * TimeUnit.SECONDS.toNanos(1) / bytesPerSecond - (System.nanoTime() - since);
            if (left <= 0) {
                return;
            }
            wait(millis(left));
        }
    }

    /** Rounded up: a wait of 0 would be one without end. */
    private static long millis(long nanos) {
        return nanos / 1_000_000 + 1;
    }

    synchronized long passed() {
        return passed;
    }
}
