package dev.laneway.engine;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * Events for the owner. Nothing on the hot path comes this way. Bounded by what is held: a record has at most one event
 * on its way. Thread-safe.
 */
final class Inbox {
    private final Queue<Event> events = new ConcurrentLinkedQueue<>();
    private final Wake wake;

    Inbox(Wake wake) {
        this.wake = wake;
    }

    /** Any thread. */
    void add(Event event) {
        events.add(event);
        wake.signal();
    }

    boolean isEmpty() {
        return events.isEmpty();
    }

    /** The owner only. */
    @Nullable
    Event poll() {
        return events.poll();
    }
}
