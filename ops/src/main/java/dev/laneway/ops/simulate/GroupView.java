package dev.laneway.ops.simulate;

import java.util.List;
import java.util.function.LongSupplier;

/** What a controller sees of single members and partitions. Used by one thread. */
final class GroupView implements GroupDetail {
    private final Assignments assignments;
    private final SimulationCounts counts;
    private final List<SimulatedMember> members;
    private final LongSupplier nanos;
    private final long[] done;

    /** @param nanos the time of now */
    GroupView(
            Assignments assignments,
            SimulationCounts counts,
            List<SimulatedMember> members,
            int partitions,
            LongSupplier nanos) {
        this.assignments = assignments;
        this.counts = counts;
        this.members = members;
        this.nanos = nanos;
        done = new long[partitions];
    }

    void recordDone(int partition) {
        done[partition]++;
    }

    @Override
    public int partitions() {
        return done.length;
    }

    @Override
    public int owner(int partition) {
        return assignments.owner(partition);
    }

    @Override
    public long appended(int partition) {
        return counts.appended(partition);
    }

    @Override
    public long done(int partition) {
        return done[partition];
    }

    @Override
    public double busySeconds(int member) {
        return member < members.size() ? members.get(member).busyNanos(nanos.getAsLong()) / 1e9 : 0;
    }
}
