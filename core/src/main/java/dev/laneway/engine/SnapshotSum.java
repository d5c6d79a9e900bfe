package dev.laneway.engine;

import dev.laneway.Counters;
import dev.laneway.PartitionSnapshot;
import dev.laneway.Snapshot;
import dev.laneway.State;
import dev.laneway.Utilisation;
import java.util.Comparator;
import java.util.List;

/** What the members of a consumer tell, as one snapshot. */
final class SnapshotSum {
    private SnapshotSum() {}

    static Snapshot of(State state, List<Snapshot> all) {
        if (all.size() == 1) {
            return all.getFirst();
        }
        List<PartitionSnapshot> partitions = all.stream()
                .flatMap(one -> one.partitions().stream())
                .sorted(Comparator.comparing(
                                (PartitionSnapshot one) -> one.partition().topic())
                        .thenComparingInt(one -> one.partition().partition()))
                .toList();
        return new Snapshot(
                state,
                partitions,
                all.stream().map(Snapshot::counters).reduce(SnapshotSum::sum).orElseThrow(),
                all.stream().map(Snapshot::utilisation).reduce(SnapshotSum::sum).orElseThrow(),
                all.stream().mapToInt(Snapshot::runningWorkers).sum(),
                all.stream().mapToLong(Snapshot::held).sum(),
                all.stream().mapToLong(Snapshot::heldBytes).sum(),
                all.stream().mapToLong(Snapshot::bufferRecords).sum(),
                all.stream().mapToLong(Snapshot::bufferBytes).sum(),
                all.stream().map(Snapshot::age).max(Comparator.naturalOrder()).orElseThrow());
    }

    private static Counters sum(Counters a, Counters b) {
        return new Counters(
                a.processed() + b.processed(),
                a.failedAttempts() + b.failedAttempts(),
                a.retries() + b.retries(),
                a.skipped() + b.skipped(),
                a.deadLettered() + b.deadLettered(),
                a.emitted() + b.emitted(),
                a.late() + b.late(),
                a.dropped() + b.dropped(),
                a.commits() + b.commits(),
                a.failedCommits() + b.failedCommits(),
                a.archived() + b.archived(),
                a.lost() + b.lost(),
                a.spilled() + b.spilled(),
                a.refilled() + b.refilled(),
                a.rebalances() + b.rebalances(),
                a.workersStarted() + b.workersStarted());
    }

    private static Utilisation sum(Utilisation a, Utilisation b) {
        return new Utilisation(
                a.busyNanos() + b.busyNanos(),
                a.blockedNanos() + b.blockedNanos(),
                a.idleNanos() + b.idleNanos(),
                a.workers() + b.workers());
    }
}
