package dev.laneway.ops.simulate;

import dev.laneway.assign.LoadPlan;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.IntToLongFunction;

/**
 * What {@link dev.laneway.assign.LoadAssignor} would measure of each partition: the records that came within its
 * window, to a thirtieth of it, and what is left to read. Used by one thread.
 */
final class PartitionLoads {
    private static final int STEPS = 30;

    private final int partitions;
    private final IntToLongFunction appended;
    private final IntToLongFunction done;
    private final long windowNanos = LoadPlan.window().toNanos();
    /** By time, a step or more apart. The first is the last one that is as old as the window, or that of the start. */
    private final Deque<Counts> past = new ArrayDeque<>();

    /** Records that have come into each partition up to a time. */
    private static final class Counts {
        private final long nanos;
        private final long[] appended;

        Counts(long nanos, long[] appended) {
            this.nanos = nanos;
            this.appended = appended;
        }
    }

    /**
     * Loads at the start, when none has come.
     *
     * @param appended how many have come into a partition
     * @param done how many of them are done
     */
    PartitionLoads(int partitions, IntToLongFunction appended, IntToLongFunction done) {
        this.partitions = partitions;
        this.appended = appended;
        this.done = done;
        past.add(new Counts(0, new long[partitions]));
    }

    /** Time has gone on. */
    void note(long now) {
        if (now - past.getLast().nanos < windowNanos / STEPS) {
            return;
        }
        long[] counts = new long[partitions];
        for (int partition = 0; partition < partitions; partition++) {
            counts[partition] = appended.applyAsLong(partition);
        }
        past.addLast(new Counts(now, counts));
        Counts first = past.removeFirst();
        while (past.getFirst().nanos <= now - windowNanos) {
            first = past.removeFirst();
        }
        past.addFirst(first);
    }

    double[] loads() {
        long[] before = past.getFirst().appended;
        double[] loads = new double[partitions];
        for (int partition = 0; partition < partitions; partition++) {
            long come = appended.applyAsLong(partition);
            loads[partition] = LoadPlan.load(come - before[partition], come - done.applyAsLong(partition));
        }
        return loads;
    }
}
