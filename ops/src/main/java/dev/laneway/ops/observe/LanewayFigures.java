package dev.laneway.ops.observe;

import dev.laneway.Counters;
import dev.laneway.Health;
import dev.laneway.PartitionSnapshot;
import dev.laneway.Snapshot;
import dev.laneway.Utilisation;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * What a running Laneway tells of itself at one moment: its health and its snapshot, as numbers and texts. Each is a
 * metric of {@link Groups#LANEWAY} or {@link Groups#LANEWAY_PARTITION}, whose name is that of the component with
 * hyphens. Immutable.
 *
 * @param health UP, DEGRADED or DOWN
 * @param reasons those of the health, the worst first
 * @param ageSeconds since the latest turn of the owner thread
 * @param workers the concurrency
 */
public record LanewayFigures(
        String state,
        String health,
        List<String> reasons,
        double ageSeconds,
        int workers,
        int runningWorkers,
        long busyNsTotal,
        long blockedNsTotal,
        long idleNsTotal,
        long held,
        long heldBytes,
        long bufferRecords,
        long bufferBytes,
        long processedTotal,
        long failedAttemptsTotal,
        long retriesTotal,
        long skippedTotal,
        long deadLetteredTotal,
        long emittedTotal,
        long lateTotal,
        long droppedTotal,
        long commitsTotal,
        long failedCommitsTotal,
        long archivedTotal,
        long lostTotal,
        long spilledTotal,
        long refilledTotal,
        long rebalancesTotal,
        long workersStartedTotal,
        List<Part> partitions) {
    /** Copies the lists. */
    public LanewayFigures {
        reasons = List.copyOf(reasons);
        partitions = List.copyOf(partitions);
    }

    /**
     * One assigned partition. Immutable.
     *
     * @param end of its log; null until it is known, as all that is null
     * @param pauseReason a name of {@link dev.laneway.PauseReason}; empty if it is not paused
     */
    public record Part(
            String topic,
            int partition,
            long epoch,
            @Nullable Long committed,
            long committable,
            long position,
            @Nullable Long end,
            @Nullable Long lag,
            long held,
            long heldBytes,
            int inFlight,
            int lanes,
            int delayed,
            @Nullable Long oldestOffset,
            @Nullable Double oldestAgeSeconds,
            int spilledKeys,
            long spilledRecords,
            String pauseReason) {
        static Part of(PartitionSnapshot part) {
            Long lag = orNull(part.lag());
            return new Part(
                    part.partition().topic(),
                    part.partition().partition(),
                    part.epoch(),
                    orNull(part.committed()),
                    part.committable(),
                    part.position(),
                    lag == null ? null : Long.valueOf(part.committable() + lag),
                    lag,
                    part.held(),
                    part.heldBytes(),
                    part.inFlight(),
                    part.lanes(),
                    part.delayed(),
                    orNull(part.oldestOffset()),
                    part.oldestAge().map(LanewayFigures::seconds).orElse(null),
                    part.spilledKeys(),
                    part.spilledRecords(),
                    part.pauseReason().map(Enum::name).orElse(""));
        }

        private static @Nullable Long orNull(OptionalLong number) {
            return number.isPresent() ? number.getAsLong() : null;
        }
    }

    static LanewayFigures of(Snapshot snapshot, Health health) {
        Counters counters = snapshot.counters();
        Utilisation workers = snapshot.utilisation();
        return new LanewayFigures(
                snapshot.state().name(),
                health.status().name(),
                health.reasons(),
                seconds(snapshot.age()),
                workers.workers(),
                snapshot.runningWorkers(),
                workers.busyNanos(),
                workers.blockedNanos(),
                workers.idleNanos(),
                snapshot.held(),
                snapshot.heldBytes(),
                snapshot.bufferRecords(),
                snapshot.bufferBytes(),
                counters.processed(),
                counters.failedAttempts(),
                counters.retries(),
                counters.skipped(),
                counters.deadLettered(),
                counters.emitted(),
                counters.late(),
                counters.dropped(),
                counters.commits(),
                counters.failedCommits(),
                counters.archived(),
                counters.lost(),
                counters.spilled(),
                counters.refilled(),
                counters.rebalances(),
                counters.workersStarted(),
                snapshot.partitions().stream().map(Part::of).toList());
    }

    private static double seconds(Duration duration) {
        return duration.toNanos() / 1e9;
    }
}
