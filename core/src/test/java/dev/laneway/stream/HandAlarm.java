package dev.laneway.stream;

import dev.laneway.stream.runtime.StreamTimer;
import java.util.Comparator;
import java.util.PriorityQueue;

/** A timer whose time a test moves. Not thread-safe. */
final class HandAlarm implements StreamTimer {
    private record Due(long nanos, int number, Runnable call) {}

    private final PriorityQueue<Due> due =
            new PriorityQueue<>(Comparator.comparingLong(Due::nanos).thenComparingInt(Due::number));
    private long now;
    private int made;

    @Override
    public Runnable in(long nanos, Runnable call) {
        Due later = new Due(now + nanos, made++, call);
        due.add(later);
        return () -> due.remove(later);
    }

    /** Moves time, and makes the calls that are due. */
    void pass(long nanos) {
        long end = now + nanos;
        for (Due next = due.peek(); next != null && next.nanos() <= end; next = due.peek()) {
            due.remove();
            now = next.nanos();
            next.call().run();
        }
        now = end;
    }

    /** Calls that are still to come. */
    int pending() {
        return due.size();
    }

    /** Calls that were ever asked for. */
    int made() {
        return made;
    }
}
