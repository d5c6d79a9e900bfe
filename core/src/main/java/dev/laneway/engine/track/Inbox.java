package dev.laneway.engine.track;

import dev.laneway.engine.runtime.WakeSignal;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * Events for the owner. Nothing on the hot path comes this way. Bounded by what is held: a record has at most one event
 * on its way. Thread-safe.
 */
public final class Inbox {
    private final Queue<Event> events = new ConcurrentLinkedQueue<>();
    private final WakeSignal wake;
    /** Of those asked for, the one that is due first. */
    private volatile Event.@Nullable Close close;

    public Inbox(WakeSignal wake) {
        this.wake = wake;
    }

    /** Closes the consumer; the limit counts from now on. Any thread. */
    public void close(Duration limit) {
        Event.Close asked = new Event.Close(limit, wake.nanoTime());
        note(asked);
        add(asked);
    }

    /** Any thread. */
    public void add(Event event) {
        events.add(event);
        wake.signal();
    }

    private synchronized void note(Event.Close asked) {
        Event.Close earlier = close;
        if (earlier == null || asked.dueNanos() - earlier.dueNanos() < 0) {
            close = asked;
        }
    }

    /**
     * The time, or when the consumer is to be closed, if that is before; also while the close waits to be served. Any
     * thread.
     */
    public long orClose(long nanos) {
        Event.Close asked = close;
        return asked == null || asked.dueNanos() - nanos >= 0 ? nanos : asked.dueNanos();
    }

    /** Whether the consumer is to be closed. Any thread. */
    public boolean isClosing() {
        return close != null;
    }

    public boolean isEmpty() {
        return events.isEmpty();
    }

    /** The owner only. */
    public @Nullable Event poll() {
        return events.poll();
    }
}
