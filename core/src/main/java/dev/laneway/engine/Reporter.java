package dev.laneway.engine;

import dev.laneway.PartitionSnapshot;
import dev.laneway.Snapshot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import org.apache.kafka.common.TopicPartition;

/** Puts a member's snapshot together. The owner only. */
final class Reporter {
    private final Function<TopicPartition, OptionalLong> fetchLag;
    private final Assignment assignment;
    private final Overseer overseer;
    private final Scheduler scheduler;
    private final Counts counts;
    private final Meter meter;
    private final Lifecycle lifecycle;
    private final Reserve reserve;
    private final long bufferBytes;

    Reporter(
            Function<TopicPartition, OptionalLong> fetchLag,
            Assignment assignment,
            Overseer overseer,
            Scheduler scheduler,
            Counts counts,
            Meter meter,
            Lifecycle lifecycle,
            Reserve reserve,
            long bufferBytes) {
        this.fetchLag = fetchLag;
        this.assignment = assignment;
        this.overseer = overseer;
        this.scheduler = scheduler;
        this.counts = counts;
        this.meter = meter;
        this.lifecycle = lifecycle;
        this.reserve = reserve;
        this.bufferBytes = bufferBytes;
    }

    Snapshot snapshot(long nowNanos) {
        List<PartitionSnapshot> partitions = new ArrayList<>();
        long records = 0;
        long bytes = 0;
        for (Partition partition : assignment.all()) {
            partitions.add(partition(partition, nowNanos));
            records += partition.held.ledger.records();
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
                bufferBytes);
    }

    private PartitionSnapshot partition(Partition partition, long nowNanos) {
        Held held = partition.held;
        long committable = held.progress(OffsetMap.DEFAULT_LIMIT).offset();
        Progress committed = partition.committed;
        OptionalLong behind = lifecycle.state().isTerminal() ? OptionalLong.empty() : fetchLag.apply(partition.id);
        Duration age = overseer.age(partition, nowNanos);
        boolean started = partition.stuckOffset >= 0;
        return new PartitionSnapshot(
                partition.id,
                held.epoch,
                committed == null ? OptionalLong.empty() : OptionalLong.of(committed.offset()),
                committable,
                partition.position,
                behind.isEmpty()
                        ? OptionalLong.empty()
                        : OptionalLong.of(Math.max(0, behind.getAsLong() + partition.position - committable)),
                held.ledger.records(),
                held.ledger.bytes(),
                partition.watch.inFlight(),
                partition.watch.lanes(),
                partition.paused || partition.pausedByUser,
                partition.pausedByUser,
                started ? OptionalLong.of(partition.stuckOffset) : OptionalLong.empty(),
                started ? Optional.of(age) : Optional.empty());
    }
}
