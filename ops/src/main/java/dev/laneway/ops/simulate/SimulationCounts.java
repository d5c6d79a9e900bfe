package dev.laneway.ops.simulate;

import java.util.ArrayList;
import java.util.List;

/** What is counted while a scenario runs. Used by one thread. */
final class SimulationCounts {
    private static final double NANOS = 1e9;
    private static final double P50 = 0.5;
    private static final double P99 = 0.99;

    private final Span span;
    private final long warmUpNanos;
    private final Arrivals[] log;
    private final Latencies all = new Latencies();
    private final Latencies sinceTick = new Latencies();
    private final List<Tick> ticks = new ArrayList<>();

    private final long[] appendedOf;
    private long appended;
    private long done;
    private long doneAfterWarmUp;
    private long mostLag;
    private long appendedBefore;
    private long doneBefore;
    private long tickBefore;
    private double busy;
    private double capacity;
    private double busyBefore;
    private double capacityBefore;
    private double instanceNanos;
    private double breachNanos;
    private int rescales;

    /** @param log one that counts what comes, for each partition */
    SimulationCounts(Span span, Arrivals[] log) {
        this.span = span;
        this.log = log;
        appendedOf = new long[log.length];
        warmUpNanos = Math.round(span.warmUpSeconds() * NANOS);
    }

    /** Time goes on, with so many workers at work. */
    void pass(long from, long to, int running, long workers, int instances) {
        double nanos = (double) (to - from);
        busy += nanos * running;
        capacity += nanos * (double) Math.max(workers, running); // Of members that have left, some still end.
        instanceNanos += nanos * instances;
    }

    void done(long now, long age) {
        done++;
        sinceTick.add(age);
        if (now >= warmUpNanos) {
            doneAfterWarmUp++;
            all.add(age);
        }
    }

    void rescaled() {
        rescales++;
    }

    Tick tick(long now, long oldest, int members, int requested, int concurrency, boolean isMoving) {
        for (int partition = 0; partition < log.length; partition++) {
            long come = log[partition].countUpTo(now);
            appendedOf[partition] += come;
            appended += come;
        }
        long lag = appended - done;
        double seconds = (double) Math.max(1, now - tickBefore) / NANOS;
        double age = (double) (now - oldest) / NANOS;
        double p99 = sinceTick.seconds(P99);
        Tick tick = new Tick(
                (double) now / NANOS,
                lag,
                age,
                (double) (appended - appendedBefore) / seconds,
                (double) (done - doneBefore) / seconds,
                capacity == capacityBefore ? 0 : (busy - busyBefore) / (capacity - capacityBefore),
                members,
                requested,
                concurrency,
                isMoving,
                p99);
        ticks.add(tick);
        mostLag = Math.max(mostLag, lag);
        breachNanos += Math.max(age, p99) > span.goalSeconds() ? (double) (now - tickBefore) : 0;
        sinceTick.clear();
        appendedBefore = appended;
        doneBefore = done;
        tickBefore = now;
        busyBefore = busy;
        capacityBefore = capacity;
        return tick;
    }

    /** Records that have come into a partition up to the last tick. */
    long appended(int partition) {
        return appendedOf[partition];
    }

    SimulationResult result(long now) {
        return new SimulationResult(
                appended,
                done,
                (double) doneAfterWarmUp / ((double) (now - warmUpNanos) / NANOS),
                appended - done,
                mostLag,
                capacity == 0 ? 0 : busy / capacity,
                all.seconds(P50),
                all.seconds(P99),
                all.maxSeconds(),
                instanceNanos / NANOS / 3_600,
                breachNanos / NANOS / 60,
                rescales,
                ticks);
    }
}
