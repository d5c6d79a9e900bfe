package dev.laneway.engine;

import dev.laneway.LanewayException;
import dev.laneway.Options;
import dev.laneway.engine.commit.BrokerRetries;
import dev.laneway.engine.commit.Committer;
import dev.laneway.engine.commit.MembershipFreshness;
import dev.laneway.engine.handle.Scheduler;
import dev.laneway.engine.runtime.EventCounts;
import dev.laneway.engine.runtime.Host;
import dev.laneway.engine.runtime.Timers;
import dev.laneway.engine.runtime.TracedRecords;
import dev.laneway.engine.runtime.WakeSignal;
import dev.laneway.engine.start.StartOffsets;
import dev.laneway.engine.track.AssignedRecords;
import dev.laneway.engine.track.Assignment;
import dev.laneway.engine.track.Chunk;
import dev.laneway.engine.track.Event;
import dev.laneway.engine.track.HeldRecord;
import dev.laneway.engine.track.Inbox;
import dev.laneway.engine.track.Partition;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How records come from Kafka into the tracks: poll and dispatch, the second half of a turn. The owner only. */
final class RecordIntake {
    private static final Logger log = LoggerFactory.getLogger(RecordIntake.class);
    private static final long HANDLED_NANOS = 5_000_000;
    private static final long MILLISECOND_NANOS = 1_000_000;

    private final Host host;
    private final LongSupplier epochMillis;
    private final Consumer<byte[], byte[]> consumer;
    private final Assignment assignment;
    private final FlowControl flow;
    private final Scheduler scheduler;
    private final Committer committer;
    private final StartOffsets starts;
    private final Rebalance rebalance;
    private final Inbox inbox;
    private final WakeSignal wake;
    private final Timers timers;
    private final MembershipFreshness membership;
    private final BrokerRetries retries;
    private final long lingerNanos;
    private final Options options;
    private final EventCounts counts;
    /** Whether the consumer's poll is on the stack: rebalance callbacks run inside it. */
    private boolean polling;

    RecordIntake(MemberWiring parts, Rebalance rebalance) {
        MemberCore core = parts.core();
        this.host = core.host();
        this.epochMillis = host::epochMillis;
        this.consumer = parts.consumer();
        this.assignment = core.assignment();
        this.flow = parts.flow();
        this.scheduler = core.scheduler();
        this.committer = parts.committer();
        this.starts = parts.starts();
        this.rebalance = rebalance;
        this.inbox = core.inbox();
        this.wake = core.wake();
        this.timers = core.timers();
        this.membership = parts.commits().membership();
        this.retries = core.pollRetries();
        this.lingerNanos = parts.lingerNanos();
        this.options = core.options();
        this.counts = core.counts();
    }

    /**
     * At-most-once: waits a moment for the records of the latest poll to be done. Else each poll would pause all there
     * is and the next one resume it, with a poll in between that a wake-up ends.
     */
    void awaitHandled() {
        if (!committer.holdsOnePoll()) {
            return;
        }
        long untilNanos = host.nanoTime() + HANDLED_NANOS;
        long left = HANDLED_NANOS;
        while (left > 0 && isHolding() && inbox.isEmpty()) {
            wake.park(left);
            left = untilNanos - host.nanoTime();
        }
    }

    /** Whether records are held; if so, whoever is done with those of a partition signals. */
    private boolean isHolding() {
        boolean holding = false;
        for (Partition partition : assignment.all()) {
            if (partition.held.ledger.records() > 0) {
                partition.held.signalBelow(0);
                holding = true;
            }
        }
        return holding;
    }

    /** Polls; rebalances run inside. What it returns is for {@link #dispatch}. */
    ConsumerRecords<byte[], byte[]> poll(long waitNanos) {
        boolean mayWait = wake.beforePoll();
        long away = flow.awayNanos();
        // Kafka counts in milliseconds: what is shorter is waited for after a poll that does not wait.
        long pollNanos = mayWait && away == 0 && waitNanos >= MILLISECOND_NANOS ? waitNanos : 0;
        ConsumerRecords<byte[], byte[]> records = ConsumerRecords.empty();
        polling = true;
        membership.polling(host.nanoTime());
        try {
            records = consumer.poll(Duration.ofNanos(pollNanos));
            flow.polled(records.count());
            retries.polled();
            membership.polled();
        } catch (WakeupException signalled) {
            log.trace("the poll was ended by a signal");
        } catch (RuntimeException failure) {
            Optional<LanewayException> fatal = retries.failed(failure);
            pollNanos = 0;
            wake.afterPoll();
            wake.park(BrokerRetries.PAUSE_NANOS); // Before the event, whose signal would end the pause.
            fatal.ifPresent(stop -> inbox.add(new Event.Failed(stop)));
        } finally {
            polling = false;
            wake.afterPoll();
        }
        if (pollNanos == 0 && waitNanos > 0 && mayWait && records.isEmpty()) {
            wake.park(Math.min(waitNanos, away == 0 ? MILLISECOND_NANOS : away));
        }
        return records;
    }

    /** Gives records to their tracks, once the committer lets them. */
    void dispatch(ConsumerRecords<byte[], byte[]> records) {
        Map<TopicPartition, OffsetAndMetadata> next = records.nextOffsets();
        skip(next, records.partitions());
        if (records.isEmpty()) {
            return;
        }
        Set<TopicPartition> behind = Set.of();
        for (TopicPartition id : records.partitions()) {
            Partition partition = assignment.get(id);
            List<ConsumerRecord<byte[], byte[]>> polled = TracedRecords.of(records, id);
            if (partition != null && polled.getFirst().offset() < partition.position) {
                if (rewind(partition, polled.getFirst())) {
                    behind = behind.isEmpty() ? new HashSet<>() : behind;
                    behind.add(id); // Records before these come first; these are fetched again.
                    next = new LinkedHashMap<>(next);
                    next.remove(id);
                }
            } else if (partition != null) {
                partition.refute(polled, end(id, polled, next));
            }
        }
        if (!committer.beforeDispatch(next)) {
            fetchAgain(records);
            wake.park(BrokerRetries.PAUSE_NANOS);
            return;
        }
        for (TopicPartition id : records.partitions()) {
            if (behind.contains(id)) {
                continue;
            }
            Partition partition = assignment.get(id);
            List<ConsumerRecord<byte[], byte[]>> polled = TracedRecords.of(records, id);
            if (partition == null) {
                throw new IllegalStateException(
                        "polled " + polled.size() + " records of " + id + ", which is not assigned");
            }
            Chunk chunk = new Chunk(HeldRecord.hold(polled, options, epochMillis), options.notBefore() != null);
            flow.returned(partition, chunk);
            append(partition, chunk, end(id, polled, next));
            linger(partition.held, polled.getLast().offset());
            counts.fetched(id, polled);
        }
        scheduler.workArrived();
    }

    /** Where the log goes on after what was polled, which may end with what is no record. */
    private static OffsetAndMetadata end(
            TopicPartition id,
            List<ConsumerRecord<byte[], byte[]>> polled,
            Map<TopicPartition, OffsetAndMetadata> next) {
        OffsetAndMetadata end = next.get(id);
        return end == null ? Partition.behind(polled.getLast()) : end;
    }

    /**
     * Adds what was polled. Where an earlier owner has done more of what follows than one fetch may bring, that is not
     * read: beside a record that is stuck for a day, a new owner would read a day's records first.
     */
    private void append(Partition partition, Chunk chunk, OffsetAndMetadata end) {
        long next = partition.nextUndone(end.offset());
        boolean skips = flow.exceedsFetch(chunk, next - end.offset());
        partition.append(chunk, skips ? new OffsetAndMetadata(next, end.leaderEpoch(), "") : end);
        if (skips) {
            log.debug("{}: records from {} to {} are done and not read", partition.id, end.offset(), next - 1);
            consumer.seek(partition.id, partition.reading());
            flow.readsOnElsewhere(partition);
        }
    }

    /** What may not be processed is not skipped either: partitions that stay here read it again. */
    private void fetchAgain(ConsumerRecords<byte[], byte[]> records) {
        for (TopicPartition id : records.partitions()) {
            Partition partition = assignment.get(id);
            if (partition != null) {
                Chunk chunk = new Chunk(TracedRecords.of(records, id));
                flow.returned(partition, chunk); // The next poll may return as much.
                flow.readsOnElsewhere(partition);
                consumer.seek(id, chunk.records.getFirst().offset());
            }
        }
    }

    /**
     * Where a poll has moved on without a record (transaction markers, aborted or compacted records), nothing is to be
     * done.
     */
    private void skip(Map<TopicPartition, OffsetAndMetadata> next, Set<TopicPartition> withRecords) {
        next.forEach((id, offset) -> {
            Partition partition = assignment.get(id);
            if (partition != null && !withRecords.contains(id) && offset.offset() > partition.position) {
                partition.skipTo(offset);
            }
        });
    }

    /** Batches: these records may form one that is not full when they have waited long enough. */
    private void linger(AssignedRecords held, long lastOffset) {
        if (lingerNanos == 0) {
            held.ripen(lastOffset);
        } else if (lingerNanos > 0) {
            timers.add(host.nanoTime() + lingerNanos, held, () -> {
                held.ripen(lastOffset);
                scheduler.workArrived();
            });
        }
    }

    /**
     * The log was cut below what had been read, or its offsets were reset, or it is another one: what is held is not in
     * it any more. True where records before this one are undone, and are read again first.
     */
    private boolean rewind(Partition old, ConsumerRecord<byte[], byte[]> first) {
        long offset = first.offset();
        rebalance.discard(List.of(old));
        if (offset > 0 && old.isOfAnotherLog(first)) {
            goOnAtBeginning(old);
            return true;
        }
        log.warn("{} goes on at offset {}, before {}: its log was cut or reset", old.id, offset, old.position);
        Partition anew = starts.afterCut(old, offset);
        rebalance.place(List.of(anew));
        return anew.position < offset;
    }

    /** Its topic was deleted, and there is another of its name: whatever was held and done is of the former one. */
    void beginAnew(Partition old) {
        if (old.equals(assignment.get(old.id))) { // Else it was given up meanwhile.
            rebalance.discard(List.of(old));
            goOnAtBeginning(old);
        }
    }

    private void goOnAtBeginning(Partition old) {
        log.warn(
                "{} goes on at its beginning, not at {}: its topic was deleted and created again",
                old.id,
                old.position);
        consumer.seek(old.id, 0);
        rebalance.place(List.of(starts.from(old.id, 0)));
    }

    /** A wait inside a rebalance is over, and the poll goes on: signals must end it again. */
    void backInPoll() {
        membership.waited();
        if (polling) {
            wake.backInPoll();
        }
    }
}
