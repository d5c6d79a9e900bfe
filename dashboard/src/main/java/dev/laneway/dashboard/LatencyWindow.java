package dev.laneway.dashboard;

import dev.laneway.dashboard.Frame.Latency;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.jspecify.annotations.Nullable;

/**
 * How long something took within the latest minute, in steps of an eighth at most. Of bounded memory, whatever comes.
 * Thread-safe; adding takes no lock but once in five seconds.
 */
final class LatencyWindow {
    private static final int SLOTS = 12;
    private static final long SLOT_NANOS = 5_000_000_000L;
    /** Steps from one power of two to the next. */
    private static final int STEPS = 8;

    private static final int STEP_BITS = 3;
    private static final int POWERS = 42; // Microseconds: 50 days.
    private static final long GREATEST = 1L << POWERS;

    private final AtomicIntegerArray[] slots = new AtomicIntegerArray[SLOTS];
    private final long[] numbers = new long[SLOTS]; // Which five seconds a slot is of; guarded by this.
    private volatile long latest = Long.MIN_VALUE;

    LatencyWindow() {
        for (int slot = 0; slot < SLOTS; slot++) {
            slots[slot] = new AtomicIntegerArray(STEPS * POWERS);
            numbers[slot] = Long.MIN_VALUE;
        }
    }

    /** Adds one; one below zero, by a clock that was set, counts as zero. */
    void add(long nanos, long nowNanos) {
        long number = Math.floorDiv(nowNanos, SLOT_NANOS);
        if (number != latest) {
            begin(number);
        }
        slots[Math.floorMod(number, SLOTS)].incrementAndGet(bucket(nanos / 1_000));
    }

    private synchronized void begin(long number) {
        int slot = Math.floorMod(number, SLOTS);
        if (numbers[slot] < number) {
            for (int bucket = 0; bucket < STEPS * POWERS; bucket++) {
                slots[slot].set(bucket, 0);
            }
            numbers[slot] = number;
        }
        latest = Math.max(latest, number);
    }

    static int bucket(long micros) {
        long value = Math.clamp(micros, 0, GREATEST - 1);
        if (value < STEPS) {
            return (int) value;
        }
        int power = Long.SIZE - 1 - Long.numberOfLeadingZeros(value);
        return (power - STEP_BITS + 1) * STEPS + (int) ((value >>> (power - STEP_BITS)) & (STEPS - 1));
    }

    /** The least that is beyond a bucket, in microseconds. */
    static long bound(int bucket) {
        if (bucket < STEPS) {
            return bucket + 1L;
        }
        int shift = bucket / STEPS - 1;
        return (long) (STEPS + bucket % STEPS + 1) << shift;
    }

    /** Null if nothing came within the minute. */
    synchronized @Nullable Latency read(String name, long nowNanos) {
        long first = Math.floorDiv(nowNanos, SLOT_NANOS) - SLOTS + 1;
        long[] counts = new long[STEPS * POWERS];
        long all = 0;
        for (int slot = 0; slot < SLOTS; slot++) {
            if (numbers[slot] >= first) {
                for (int bucket = 0; bucket < counts.length; bucket++) {
                    counts[bucket] += slots[slot].get(bucket);
                    all += slots[slot].get(bucket);
                }
            }
        }
        return all == 0
                ? null
                : new Latency(
                        name,
                        all,
                        seconds(counts, all, 0.5),
                        seconds(counts, all, 0.95),
                        seconds(counts, all, 0.99),
                        seconds(counts, all, 1));
    }

    private static double seconds(long[] counts, long all, double share) {
        long wanted = Math.max(1, (long) Math.ceil(share * all));
        long seen = 0;
        for (int bucket = 0; bucket < counts.length; bucket++) {
            seen += counts[bucket];
            if (seen >= wanted) {
                return bound(bucket) / 1e6;
            }
        }
        return bound(counts.length - 1) / 1e6;
    }
}
