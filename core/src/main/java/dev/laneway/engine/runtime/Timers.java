package dev.laneway.engine.runtime;

import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/** Everything that is due later, in one heap. The owner only. */
public final class Timers {
    private record Timer(
            long dueNanos, long order, @Nullable Object owner, Runnable action) implements Comparable<Timer> {
        @Override
        public int compareTo(Timer other) {
            int byTime = Long.compare(dueNanos - other.dueNanos, 0);
            return byTime != 0 ? byTime : Long.compare(order, other.order);
        }
    }

    private final PriorityQueue<Timer> timers = new PriorityQueue<>();
    private long order;

    public void add(long dueNanos, Runnable action) {
        timers.add(new Timer(dueNanos, order++, null, action));
    }

    /** As {@link #add(long, Runnable)}, on behalf of this object, which the timer keeps in memory. */
    public void add(long dueNanos, Object owner, Runnable action) {
        timers.add(new Timer(dueNanos, order++, owner, action));
    }

    /** Runs what was added on behalf of this object at once: its memory must not be kept until something is due. */
    @SuppressWarnings("ReferenceEquality") // The very object that asked is meant, not one that is equal to it.
    public void hasten(Object dropped) {
        List<Timer> hastened = new ArrayList<>();
        timers.removeIf(timer -> timer.owner() == dropped && hastened.add(timer));
        hastened.stream().sorted().forEach(timer -> timer.action().run());
    }

    /** Runs what is due, earliest first. */
    public void fire(long nowNanos) {
        for (Timer first = timers.peek(); first != null && first.dueNanos() - nowNanos <= 0; first = timers.peek()) {
            timers.remove();
            first.action().run();
        }
    }

    /** Nanoseconds until the next one is due, 0 when one is overdue, {@code otherwise} when there is none. */
    public long untilNext(long nowNanos, long otherwise) {
        Timer first = timers.peek();
        return first == null ? otherwise : Math.max(0, first.dueNanos() - nowNanos);
    }

    public int size() {
        return timers.size();
    }
}
