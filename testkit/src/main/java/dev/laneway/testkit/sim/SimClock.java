package dev.laneway.testkit.sim;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.function.LongSupplier;

/**
 * Virtual time. It stands still until the driver moves it; actions that are due then run in order.
 *
 * <p>There are two readings, as on a real machine: {@link #nanoTime()} only goes forward and starts at zero,
 * {@link #millis()} is the wall clock and may jump (see {@link #jumpWallClock}). Actions that are due at the same time
 * run in the order in which they were scheduled, so that a run depends on nothing but the seed.
 *
 * <p>Thread contract: used by one thread at a time. In a {@link Simulation} that is the driver or the running task;
 * only the driver moves time.
 */
public final class SimClock {
    /** The wall clock at the start of each simulation: 2024-01-01T00:00:00Z. */
    private static final long START_MILLIS = 1_704_067_200_000L;

    private final PriorityQueue<SimTimer> timers =
            new PriorityQueue<>(Comparator.comparingLong(SimTimer::atNanos).thenComparingLong(SimTimer::sequence));
    private long nowNanos;
    private long wallShiftMillis;
    private long nextSequence;
    private boolean moving;

    /** A clock at time zero with nothing scheduled. */
    public SimClock() {}

    /** Nanoseconds since the simulation began. Never goes back. */
    public long nanoTime() {
        return nowNanos;
    }

    /** The wall clock in milliseconds since the epoch. It starts at 2024-01-01T00:00:00Z and may jump. */
    public long millis() {
        return START_MILLIS + nowNanos / 1_000_000 + wallShiftMillis;
    }

    /** {@link #nanoTime()} for code that takes its time from a supplier. */
    public LongSupplier nanos() {
        return this::nanoTime;
    }

    /** The wall clock as a {@link Clock} in UTC. */
    public Clock wallClock() {
        return new WallClock(this, ZoneOffset.UTC);
    }

    /** Makes the wall clock jump, forward or back, as an operator or NTP would. {@link #nanoTime()} is not affected. */
    public void jumpWallClock(Duration by) {
        wallShiftMillis += by.toMillis();
    }

    /**
     * Schedules an action. It runs on the thread that moves the clock over that time, even when the delay is zero.
     *
     * @param delay from now; zero or more
     * @throws IllegalArgumentException if the delay is negative
     */
    public SimTimer schedule(Duration delay, Runnable action) {
        return schedule(nanos(delay), action);
    }

    SimTimer schedule(long delayNanos, Runnable action) {
        if (delayNanos < 0) {
            throw new IllegalArgumentException(
                    "delay is " + delayNanos + " ns, but nothing can be scheduled in the past: use zero or more");
        }
        SimTimer timer = new SimTimer(saturatedAdd(nowNanos, delayNanos), nextSequence++, action, timers::remove);
        timers.add(timer);
        return timer;
    }

    /** The time at which the next action is due, {@link Long#MAX_VALUE} when nothing is scheduled. */
    public long nextEventNanos() {
        SimTimer next = timers.peek();
        return next == null ? Long.MAX_VALUE : next.atNanos();
    }

    /**
     * Moves time forward and runs, each at its own time, every action that falls due, those included which an action
     * schedules. {@code advance(Duration.ZERO)} runs what is due now.
     *
     * @throws IllegalArgumentException if the duration is negative
     * @throws IllegalStateException if called from an action of this clock
     */
    public void advance(Duration by) {
        advanceTo(saturatedAdd(nowNanos, nanos(by)));
    }

    void advanceTo(long targetNanos) {
        if (targetNanos < nowNanos) {
            throw new IllegalArgumentException("time cannot go back from " + nowNanos + " to " + targetNanos + " ns");
        }
        if (moving) {
            throw new IllegalStateException(
                    "a scheduled action may not move the clock: schedule another action instead");
        }
        moving = true;
        try {
            while (nextEventNanos() <= targetNanos) {
                SimTimer next = timers.remove();
                nowNanos = Math.max(nowNanos, next.atNanos());
                next.fire();
            }
            nowNanos = targetNanos;
        } finally {
            moving = false;
        }
    }

    /**
     * Runs the one action that is due first and moves time to it; does nothing and answers false when there is none up
     * to the limit.
     */
    boolean runNext(long limitNanos) {
        SimTimer next = timers.peek();
        if (next == null || next.atNanos() > limitNanos || moving) {
            return false;
        }
        timers.remove();
        moving = true;
        try {
            nowNanos = Math.max(nowNanos, next.atNanos());
            next.fire();
        } finally {
            moving = false;
        }
        return true;
    }

    private static long nanos(Duration duration) {
        if (duration.isNegative()) {
            throw new IllegalArgumentException(
                    "duration is " + duration + ", but time only goes forward: use zero or more");
        }
        return SimTimes.nanos(duration);
    }

    static long saturatedAdd(long a, long b) {
        long sum = a + b;
        return sum < 0 ? Long.MAX_VALUE : sum;
    }

    private static final class WallClock extends Clock {
        private final SimClock clock;
        private final ZoneId zone;

        WallClock(SimClock clock, ZoneId zone) {
            this.clock = clock;
            this.zone = zone;
        }

        @Override
        public ZoneId getZone() {
            return zone;
        }

        @Override
        public Clock withZone(ZoneId other) {
            return new WallClock(clock, other);
        }

        @Override
        public Instant instant() {
            return Instant.ofEpochMilli(clock.millis());
        }
    }
}
