package dev.laneway.engine.runtime;

import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * How others wake the owner: one atomic word, so that a thousand signals cost the owner one wake-up and a signal to an
 * owner that is awake costs one swap. Thread-safe; the methods of the owner say so.
 */
public final class WakeSignal {
    private static final int AWAKE = 0;
    private static final int POLLING = 1;
    private static final int PARKED = 2;
    private static final int SIGNALLED = 3;

    private final Host host;
    /** Ends the consumer's blocking call, from any thread. */
    private final Runnable wakeup;

    private final AtomicInteger word = new AtomicInteger();
    private volatile @Nullable Thread owner;

    public WakeSignal(Host host, Runnable wakeup) {
        this.host = host;
        this.wakeup = wakeup;
    }

    /**
     * Makes the owner take another turn soon. A wake-up that comes too late for the poll ends the consumer's next
     * blocking call instead, see {@code BlockingCalls}.
     */
    public void signal() {
        if (word.get() == SIGNALLED) {
            return;
        }
        switch (word.getAndSet(SIGNALLED)) {
            case POLLING -> wakeup.run();
            case PARKED -> {
                Thread waiting = owner;
                if (waiting != null) {
                    host.unpark(waiting);
                }
            }
            default -> {
                // Awake, or signalled already: the next turn sees it.
            }
        }
    }

    /** Any thread. */
    public long nanoTime() {
        return host.nanoTime();
    }

    /** Owner: about to poll. False when a signal has come: poll without waiting. */
    public boolean beforePoll() {
        return word.compareAndSet(AWAKE, POLLING);
    }

    /** Owner: the poll is over; a signal from now on must not end the next blocking call. */
    public void afterPoll() {
        word.compareAndSet(POLLING, AWAKE);
    }

    /** Owner: waits in a poll again, after a wait of its own inside it. */
    public void backInPoll() {
        if (!word.compareAndSet(AWAKE, POLLING) && word.get() == SIGNALLED) {
            wakeup.run();
        }
    }

    /** Owner: awake again; signals so far are seen by this turn. */
    public void awake() {
        word.set(AWAKE);
    }

    /** Owner: waits for a signal, at most this long. */
    public void park(long nanos) {
        owner = Thread.currentThread();
        if (word.compareAndSet(AWAKE, PARKED)) {
            host.park(nanos);
        }
        word.set(AWAKE);
    }
}
