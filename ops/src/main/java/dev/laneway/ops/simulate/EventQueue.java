package dev.laneway.ops.simulate;

import java.util.Arrays;

/** What happens next, by its time: a binary heap without objects. Used by one thread. */
final class EventQueue {
    private long[] times = new long[1_024];
    private int[] events = new int[1_024];
    private int size;

    /** When the next one is; the end of time if there is none. */
    long nextTime() {
        return size == 0 ? Long.MAX_VALUE : times[0];
    }

    void add(long time, int event) {
        if (size == times.length) {
            times = Arrays.copyOf(times, size * 2);
            events = Arrays.copyOf(events, size * 2);
        }
        int at = size++;
        while (at > 0) {
            int parent = (at - 1) >>> 1;
            if (times[parent] <= time) {
                break;
            }
            times[at] = times[parent];
            events[at] = events[parent];
            at = parent;
        }
        times[at] = time;
        events[at] = event;
    }

    /** Takes the next one; there must be one. */
    int take() {
        int first = events[0];
        size--;
        long time = times[size];
        int event = events[size];
        int at = 0;
        for (int child = 1; child < size; child = 2 * at + 1) {
            if (child + 1 < size && times[child + 1] < times[child]) {
                child++;
            }
            if (time <= times[child]) {
                break;
            }
            times[at] = times[child];
            events[at] = events[child];
            at = child;
        }
        times[at] = time;
        events[at] = event;
        return first;
    }
}
