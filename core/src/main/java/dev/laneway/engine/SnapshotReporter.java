package dev.laneway.engine;

import dev.laneway.PartitionSnapshot;
import dev.laneway.PauseReason;
import dev.laneway.Snapshot;
import dev.laneway.engine.handle.Scheduler;
import dev.laneway.engine.offsets.Progress;
import dev.laneway.engine.runtime.EventCounts;
import dev.laneway.engine.runtime.MemberLifecycle;
import dev.laneway.engine.runtime.UtilisationMeter;
import dev.laneway.engine.track.AssignedRecords;
import dev.laneway.engine.track.Assignment;
import dev.laneway.engine.track.Partition;
import dev.laneway.engine.track.PartitionStates;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import org.apache.kafka.common.TopicPartition;

/**
 * Puts a member's snapshot together. Whoever wants one reads what is there: nothing waits for the owner, who may be
 * waiting itself. Thread-safe, but for {@link #turn}.
 */
final class SnapshotReporter {
    /** How many partitions the client is asked about in one turn. */
    private static final int QUESTIONS = 50;

    private static final long PAUSE_NANOS = 5_000_000;
    private static final long ROUND_NANOS = 1_000_000_000;

    private final Function<TopicPartition, OptionalLong> fetchLag;
    private final Assignment assignment;
    private final StallDetector stalls;
    private final Scheduler scheduler;
    private final EventCounts counts;
    private final UtilisationMeter meter;
    private final MemberLifecycle lifecycle;
    private final RecordReserve reserve;
    private final long bufferBytes;
    private final PartitionStates<LogEnd> ends;
    /** Whether a snapshot was taken since the client was asked where the logs end. */
    private volatile boolean isAsked;
    /** The partition that is asked about next. */
    private int next;

    private long notBeforeNanos;

    /** Where the log of one partition ended when the client was asked. */
    private static final class LogEnd {
        /** -1 when it was not asked, or did not know. */
        volatile long offset = -1;
    }

    SnapshotReporter(
            Function<TopicPartition, OptionalLong> fetchLag,
            Assignment assignment,
            StallDetector stalls,
            Scheduler scheduler,
            EventCounts counts,
            UtilisationMeter meter,
            MemberLifecycle lifecycle,
            RecordReserve reserve,
            long bufferBytes) {
        this.fetchLag = fetchLag;
        this.assignment = assignment;
        this.stalls = stalls;
        this.ends = new PartitionStates<>(assignment, _ -> new LogEnd());
        this.scheduler = scheduler;
        this.counts = counts;
        this.meter = meter;
        this.lifecycle = lifecycle;
        this.reserve = reserve;
        this.bufferBytes = bufferBytes;
    }

    /** What is known now; any thread. */
    Snapshot snapshot(long nowNanos, long turnedAtNanos) {
        boolean ended = lifecycle.state().isTerminal();
        isAsked = !ended;
        List<PartitionSnapshot> partitions = new ArrayList<>();
        long records = 0;
        long bytes = 0;
        for (Partition partition : assignment.all()) {
            partitions.add(partition(partition, nowNanos, ended));
            records += partition.held.ledger.allRecords();
            bytes += partition.held.ledger.bytes();
        }
        partitions.sort(
                Comparator.comparing((PartitionSnapshot one) -> one.partition().topic())
                        .thenComparingInt(one -> one.partition().partition()));
        return new Snapshot(
                lifecycle.state(),
                partitions,
                counts.read(),
                meter.read(),
                scheduler.running(),
                records,
                bytes,
                reserve.records(),
                bufferBytes,
                ended ? Duration.ZERO : Duration.ofNanos(Math.max(0, nowNanos - turnedAtNanos)));
    }

    private PartitionSnapshot partition(Partition partition, long nowNanos, boolean ended) {
        AssignedRecords held = partition.held;
        // In this order: what happens meanwhile makes none larger than the next. Only what the map of an earlier owner
        // names, and has yet to be fetched, is beyond the position.
        Progress committed = partition.committed;
        long committable = held.progress(0).offset();
        long position = partition.position;
        LogEnd asked = ended ? null : ends.peek(partition);
        long end = asked == null ? -1 : asked.offset;
        long started = partition.watch.oldestStarted();
        StallDetector.Unfinished seen = stalls.unfinished(partition);
        long age = seen == null || seen.offset() != started ? 0 : Math.max(0, nowNanos - seen.sinceNanos());
        PauseReason pauseReason = partition.pausedByUser ? PauseReason.USER : partition.pauseReason;
        return new PartitionSnapshot(
                partition.id,
                held.epoch,
                committed == null ? OptionalLong.empty() : OptionalLong.of(committed.offset()),
                committable,
                position,
                end < 0 ? OptionalLong.empty() : OptionalLong.of(Math.max(0, end - committable)),
                held.ledger.allRecords(),
                held.ledger.bytes(),
                partition.watch.inFlight(),
                partition.watch.lanes(),
                pauseReason != null,
                partition.pausedByUser,
                started < 0 ? OptionalLong.empty() : OptionalLong.of(started),
                started < 0 ? Optional.empty() : Optional.of(Duration.ofNanos(age)),
                Optional.ofNullable(pauseReason),
                partition.watch.delayed(),
                partition.watch.spilledKeys(),
                partition.watch.spilledRecords());
    }

    /**
     * Once a turn: asks the client where the logs end if a snapshot has been taken since the last time, about once a
     * second and for some partitions a turn. The client of the consumer protocol asks another thread for each. Returns
     * how soon it must be asked again, {@code otherwise} when it need not. The owner only.
     */
    long turn(long nowNanos, long otherwise) {
        ends.forgetThoseThatLeft();
        if (!isAsked) {
            return otherwise;
        }
        if (nowNanos - notBeforeNanos < 0) {
            return next == 0 ? otherwise : notBeforeNanos - nowNanos;
        }
        List<Partition> all = assignment.all();
        for (int upTo = Math.min(all.size(), next + QUESTIONS); next < upTo; next++) {
            Partition partition = all.get(next);
            OptionalLong lag = fetchLag.apply(partition.id);
            if (lag.isPresent()) {
                ends.of(partition).offset = partition.position + lag.getAsLong();
            }
        }
        if (next < all.size()) {
            notBeforeNanos = nowNanos + PAUSE_NANOS;
            return PAUSE_NANOS;
        }
        next = 0;
        isAsked = false;
        notBeforeNanos = nowNanos + ROUND_NANOS;
        return otherwise;
    }
}
