package dev.laneway.engine.commit;

import dev.laneway.BrokerException;
import dev.laneway.engine.handle.UndeliverableOutputs;
import dev.laneway.engine.offsets.Progress;
import dev.laneway.engine.runtime.EventCounts;
import dev.laneway.engine.runtime.Host;
import dev.laneway.engine.runtime.WakeSignal;
import dev.laneway.engine.track.Inbox;
import dev.laneway.engine.track.OutgoingRecords;
import dev.laneway.engine.track.Partition;
import dev.laneway.engine.track.RecordEmission;
import dev.laneway.engine.track.TransactionPart;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Exactly-once: writes progress and outputs in one transaction after another. What records emit waits in their
 * partition's {@code PendingOutputs} from the moment they are done, so that no worker waits for a transaction and a
 * transaction stops no worker. An aborted one is written again, with whatever is done by then; what belongs to a
 * partition that was given up meanwhile is gone with it, and its next owner handles those records again. Whoever asks
 * has one written at once. The owner only, but for {@link #ask}.
 *
 * <pre>
 *      due or asked for, and there is news             Committed: forget the outputs
 *   IDLE  ---------------------------&gt;  ON ITS WAY  ------------------------------------&gt;  IDLE
 *                                          |  Aborted: keep them; a pause  --------------&gt;  IDLE
 *                                          |  Refused: what the failure policy says  ----&gt;  IDLE
 *                                          |  Lost: the consumer stops  ------------------&gt;  (end)
 * </pre>
 */
public final class TransactionalCommitter implements Committer {
    private static final Logger log = LoggerFactory.getLogger(TransactionalCommitter.class);
    /** How soon an aborted transaction is written again. */
    private static final long PAUSE_NANOS = 100_000_000;

    private final Host host;
    private final WakeSignal wake;
    private final Inbox inbox;
    private final Consumer<byte[], byte[]> consumer;
    private final CommitSender commits;
    private final BlockingCalls calls;
    private final EventCounts counts;
    private final UndeliverableOutputs undeliverable;
    private final List<WriterSlot> slots;
    private final long intervalNanos;
    private final CommitRequests asked;

    /** Topics that do not exist: nothing of them is written, and a transaction that waits for one is given up. */
    private volatile Set<String> missing = Set.of();
    /** The topics of the transactions that are on their way. */
    private volatile Set<String> underway = Set.of();

    private boolean lost;
    private boolean flushed = true;

    /** One writer, and when its next transaction is due. */
    private static final class WriterSlot {
        final TransactionWriter writer;
        /** It writes the partitions whose hash, by the number of writers, is this. */
        final int number;
        /** When what is new is written, whether anybody asks or not. */
        long dueNanos;
        /** When its latest transaction was begun, where an observer listens. */
        long begunNanos;
        /** An aborted transaction is not written again before. */
        long notBeforeNanos;
        /** Whether those who are being served wait for a transaction of this writer's yet. */
        boolean owes;
        /** Whether it is the one that is on its way. */
        boolean pays;

        WriterSlot(TransactionWriter writer, int number) {
            this.writer = writer;
            this.number = number;
        }

        boolean isIdle() {
            return writer.sent() == null;
        }

        /** Whether a transaction that somebody waits for may be written now. */
        boolean isPayable(long nowNanos) {
            return owes && nowNanos - notBeforeNanos >= 0;
        }
    }

    public TransactionalCommitter(
            Host host,
            WakeSignal wake,
            Inbox inbox,
            Consumer<byte[], byte[]> consumer,
            CommitSender commits,
            BlockingCalls calls,
            EventCounts counts,
            UndeliverableOutputs undeliverable,
            List<TransactionWriter> writers,
            Duration interval) {
        this.host = host;
        this.wake = wake;
        this.inbox = inbox;
        this.consumer = consumer;
        this.commits = commits;
        this.calls = calls;
        this.counts = counts;
        this.undeliverable = undeliverable;
        this.slots = IntStream.range(0, writers.size())
                .mapToObj(number -> new WriterSlot(writers.get(number), number))
                .toList();
        this.intervalNanos = interval.toNanos();
        this.asked = new CommitRequests(wake);
    }

    @Override
    public void make() {
        slots.forEach(slot -> slot.writer.make());
    }

    @Override
    public boolean open() {
        for (WriterSlot slot : slots) {
            var _ = slot.writer.open();
        }
        for (WriterSlot slot : slots) {
            boolean open = calls.within(
                    "opening the transactional producer",
                    left -> slot.writer.awaitOpen(left, () -> !inbox.isClosing()));
            if (!open) {
                log.info("it closes before its transactional producers have an answer: check the brokers");
                return false;
            }
            long now = host.nanoTime();
            slot.dueNanos = now + intervalNanos;
            slot.notBeforeNanos = now;
        }
        wake.signal(); // What others have told meanwhile is for the first turn.
        return true;
    }

    @Override
    public CompletionStage<@Nullable Void> ask() {
        return asked.ask();
    }

    @Override
    public Set<String> topics() {
        return underway;
    }

    @Override
    public void missing(Set<String> topics) {
        missing = topics;
        wake.signal();
    }

    private boolean isMissing(Partition partition) {
        return missing.contains(partition.id.topic());
    }

    /** A topic may be gone after its progress was sent, and be made anew: then its progress means nothing any more. */
    private void giveUpMissing(TransactionWriter writer) {
        Transaction transaction = writer.sent();
        if (transaction != null
                && !missing.isEmpty()
                && transaction.parts().keySet().stream().anyMatch(this::isMissing)) {
            writer.giveUp();
        }
    }

    private void noteTopics() {
        Set<String> topics = new HashSet<>();
        for (WriterSlot slot : slots) {
            Transaction transaction = slot.writer.sent();
            if (transaction != null) {
                transaction.parts().keySet().forEach(partition -> topics.add(partition.id.topic()));
            }
        }
        underway = topics;
    }

    @Override
    public long turn(long nowNanos) {
        long wait = intervalNanos;
        serveNext();
        for (WriterSlot slot : slots) {
            settle(slot, nowNanos);
            if (slot.isIdle()) {
                if (nowNanos - slot.dueNanos >= 0 || (!lost && slot.isPayable(nowNanos))) {
                    slot.dueNanos = nowNanos + intervalNanos;
                    beginAll(slot);
                }
                wait = Math.min(wait, (slot.owes && !lost ? slot.notBeforeNanos : slot.dueNanos) - nowNanos);
            }
        }
        answer();
        return asked.hasMore() && !asked.isOpen() ? 0 : Math.max(0, wait);
    }

    /** Inside a rebalance no turn is taken, and what is in flight may wait for a transaction. */
    @Override
    public void waiting() {
        serveNext();
        if (!asked.isOpen()) {
            return;
        }
        long now = host.nanoTime();
        for (WriterSlot slot : slots) {
            settle(slot, now);
            if (slot.isIdle() && !lost && slot.isPayable(now)) {
                beginAll(slot);
            }
        }
        answer();
    }

    @Override
    public boolean hasOutputs() {
        return true;
    }

    @Override
    public void hurry() {
        for (WriterSlot slot : slots) {
            if (slot.notBeforeNanos - slot.dueNanos < 0) {
                slot.dueNanos = slot.notBeforeNanos;
            }
        }
    }

    private void serveNext() {
        if (asked.take()) {
            slots.forEach(slot -> slot.owes = true);
        }
    }

    private void beginAll(WriterSlot slot) {
        boolean begun = begin(slot, commits.assignment().all());
        slot.pays = begun && slot.owes;
        if (!begun) {
            var _ = commits.news(commits.assignment().all()); // Ends the trouble, where none is left.
        }
        slot.owes &= begun || lost; // Nothing new: all that was asked for is written.
    }

    private void answer() {
        if (slots.stream().noneMatch(slot -> slot.owes)) {
            asked.answered();
        }
    }

    /**
     * Writes what these partitions have done. A transaction that was begun before ends first; if it does not within the
     * limit, the partitions' next owner waits for its end when it reads their offsets, so nothing is done twice.
     * Whoever closes the consumer meanwhile waits for that close limit, not for this one.
     */
    @Override
    public void flush(List<Partition> partitions) {
        long sinceNanos = host.nanoTime();
        long untilNanos = sinceNanos + commits.lastLimit().toNanos();
        for (WriterSlot slot : slots) {
            await(slot, sinceNanos, untilNanos);
            // The group may have moved on once more: then the first try is aborted, and so would be any other.
            if (slot.isIdle() && begin(slot, partitions)) {
                await(slot, sinceNanos, untilNanos);
            }
        }
        List<Partition> existing =
                partitions.stream().filter(partition -> !isMissing(partition)).toList();
        flushed = commits.news(existing).isEmpty()
                && existing.stream().allMatch(partition -> partition.outputs().isEmpty());
        commits.makeAgain(!flushed && !lost);
    }

    @Override
    public void close(Duration limit) {
        Ends ends = new Ends(slots.size());
        for (WriterSlot slot : slots.subList(1, slots.size())) { // At once: there is one limit for all of them.
            host.background(() -> ends.of(slot.writer, limit));
        }
        ends.of(slots.getFirst().writer, limit);
        try {
            ends.await(host.nanoTime() + BlockingCalls.LEAST_LEFT_NANOS);
        } finally { // Whoever has asked is answered, also where a producer fails to close.
            asked.end(
                    flushed && !lost
                            ? null
                            : new BrokerException(
                                    "the consumer ended before the transaction was committed; the next owner repeats"
                                            + " what is not committed",
                                    null));
        }
    }

    /** Which writers have been closed? */
    private final class Ends {
        private final AtomicInteger open;
        private final AtomicReference<@Nullable RuntimeException> failure = new AtomicReference<>();

        Ends(int writers) {
            open = new AtomicInteger(writers);
        }

        /** Any thread. */
        void of(TransactionWriter writer, Duration limit) {
            try {
                writer.close(limit);
            } catch (RuntimeException failed) {
                failure.compareAndSet(null, failed);
            } finally {
                open.decrementAndGet();
                wake.signal();
            }
        }

        /** The owner only. */
        void await(long untilNanos) {
            while (open.get() > 0 && untilNanos - host.nanoTime() > 0) {
                wake.park(untilNanos - host.nanoTime());
            }
            RuntimeException failed = failure.get();
            if (failed != null) {
                throw failed;
            }
        }
    }

    private void await(WriterSlot slot, long sinceNanos, long untilNanos) {
        while (!slot.isIdle() && !slot.writer.hasEnded()) {
            giveUpMissing(slot.writer);
            long now = host.nanoTime();
            // A close may be asked for at any time, also while nobody can serve it.
            long closed = Math.max(inbox.orClose(untilNanos) - now, sinceNanos + BlockingCalls.LEAST_LEFT_NANOS - now);
            long left = Math.min(untilNanos - now, closed);
            if (left <= 0) {
                log.warn("a transaction did not end within the limit; the next owner of its partitions waits for it");
                return;
            }
            wake.park(left);
        }
        wake.signal(); // What others have told meanwhile is for the next turn, and it should be soon.
        settle(slot, host.nanoTime());
    }

    /** Sends what is new of these partitions, as far as they are this writer's. */
    private boolean begin(WriterSlot slot, List<Partition> partitions) {
        slot.pays = false;
        if (lost) {
            return false;
        }
        Map<Partition, TransactionPart> parts = new LinkedHashMap<>(); // Ordered, so that a seed replays.
        for (Partition partition : partitions) {
            if (Math.floorMod(partition.id.hashCode(), slots.size()) == slot.number && !isMissing(partition)) {
                Progress known = commits.isDue(partition) ? null : partition.committed;
                TransactionPart part = partition.outputs().send(commits.metadataLimit(), known);
                if (part != null) {
                    parts.put(partition, part);
                }
            }
        }
        if (parts.isEmpty()) {
            return false;
        }
        slot.begunNanos = counts.observers == null ? 0 : host.nanoTime();
        slot.writer.send(
                new Transaction(parts, commits.requests(Transaction.progress(parts)), consumer.groupMetadata()));
        noteTopics();
        return true;
    }

    /** Acts on the end of a transaction, if it has ended. */
    private void settle(WriterSlot slot, long nowNanos) {
        Transaction transaction = slot.writer.sent();
        Transaction.Ending ending = slot.writer.take();
        if (transaction == null || ending == null) {
            giveUpMissing(slot.writer);
            return;
        }
        noteTopics();
        act(slot, transaction, ending, nowNanos);
        if (counts.observers != null) {
            counts.observers.transactionEnded(transaction.ids(), slot.begunNanos, ending.failure());
        }
    }

    private void act(WriterSlot slot, Transaction transaction, Transaction.Ending ending, long nowNanos) {
        switch (ending) {
            case Transaction.Committed committed -> {
                slot.owes &= !slot.pays;
                commits.confirmed(transaction.progress());
                transaction.parts().forEach((partition, part) -> {
                    count(part.outputs());
                    partition.outputs().written();
                });
            }
            case Transaction.Aborted(Exception cause) -> {
                abandon(transaction);
                slot.notBeforeNanos = nowNanos + PAUSE_NANOS;
                slot.dueNanos = slot.notBeforeNanos;
                commits.aborted(transaction, cause);
            }
            case Transaction.Refused(RecordEmission culprit, Exception cause) -> {
                abandon(transaction);
                counts.failedCommits.increment();
                RecordEmission instead = undeliverable.instead(culprit, cause);
                lost |= instead == null;
                if (instead != null) {
                    culprit.held().outputs.replace(culprit, instead);
                }
            }
            case Transaction.Lost(Exception cause) -> {
                lost = true;
                abandon(transaction);
                counts.failedCommits.increment();
                commits.stop(new BrokerException(
                        TransactionWriter.isFenced(cause)
                                ? "the transactional producer was fenced: give each process a transactionalId of its"
                                        + " own, and keep transactions shorter than transaction.timeout.ms"
                                : "the transactional producer failed: mend the cause and restart, "
                                        + cause.getMessage(),
                        cause));
            }
        }
    }

    private static void abandon(Transaction transaction) {
        transaction.parts().keySet().forEach(partition -> partition.outputs().unwritten());
    }

    private void count(List<RecordEmission> outputs) {
        for (RecordEmission emission : outputs) {
            if (emission instanceof OutgoingRecords delivery && delivery.isDeadLetter()) {
                undeliverable.tellDeadLettered(delivery);
            } else if (!emission.outputs().isEmpty()) {
                counts.emitted.increment();
            }
        }
    }
}
