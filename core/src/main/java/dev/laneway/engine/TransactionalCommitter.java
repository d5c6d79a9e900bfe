package dev.laneway.engine;

import dev.laneway.BrokerException;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Exactly-once: writes progress and outputs in one transaction after another. What records emit waits in their
 * partition's {@link PendingOutputs} from the moment they are done, so that no worker waits for a transaction and a
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
final class TransactionalCommitter implements Committer {
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
    private final List<TransactionWriter> couriers;
    private final long[] dueNanos;
    private final long intervalNanos;
    private final CommitRequests asked;
    /** Whether those who are being served wait for a transaction of this courier's yet. */
    private final boolean[] owes;
    /** Whether it is the one that is on its way. */
    private final boolean[] pays;
    /** An aborted transaction is not written again before. */
    private final long[] notBeforeNanos;

    /** Topics that do not exist: nothing of them is written, and a transaction that waits for one is given up. */
    private volatile Set<String> missing = Set.of();
    /** The topics of the transactions that are on their way. */
    private volatile Set<String> underway = Set.of();

    private boolean lost;
    private boolean flushed = true;

    TransactionalCommitter(
            Host host,
            WakeSignal wake,
            Inbox inbox,
            Consumer<byte[], byte[]> consumer,
            CommitSender commits,
            BlockingCalls calls,
            EventCounts counts,
            UndeliverableOutputs undeliverable,
            List<TransactionWriter> couriers,
            Duration interval) {
        this.host = host;
        this.wake = wake;
        this.inbox = inbox;
        this.consumer = consumer;
        this.commits = commits;
        this.calls = calls;
        this.counts = counts;
        this.undeliverable = undeliverable;
        this.couriers = List.copyOf(couriers);
        this.dueNanos = new long[couriers.size()];
        this.intervalNanos = interval.toNanos();
        this.asked = new CommitRequests(wake);
        this.owes = new boolean[dueNanos.length];
        this.pays = new boolean[dueNanos.length];
        this.notBeforeNanos = new long[dueNanos.length];
    }

    @Override
    public void make() {
        couriers.forEach(TransactionWriter::make);
    }

    @Override
    public void open() {
        long now = host.nanoTime();
        for (int i = 0; i < dueNanos.length; i++) {
            TransactionWriter courier = couriers.get(i);
            calls.within("opening the transactional producer", left -> {
                courier.open();
                return true;
            });
            dueNanos[i] = now + intervalNanos;
            notBeforeNanos[i] = now;
        }
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
    private void giveUpMissing(TransactionWriter courier) {
        Transaction transaction = courier.sent();
        if (transaction != null
                && !missing.isEmpty()
                && transaction.parts().keySet().stream().anyMatch(this::isMissing)) {
            courier.giveUp();
        }
    }

    private void noteTopics() {
        Set<String> topics = new HashSet<>();
        for (TransactionWriter courier : couriers) {
            Transaction transaction = courier.sent();
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
        for (int i = 0; i < dueNanos.length; i++) {
            settle(i, nowNanos);
            if (couriers.get(i).sent() == null) {
                if (nowNanos - dueNanos[i] >= 0 || isPayable(i, nowNanos)) {
                    dueNanos[i] = nowNanos + intervalNanos;
                    beginAll(i);
                }
                wait = Math.min(wait, (owes[i] && !lost ? notBeforeNanos[i] : dueNanos[i]) - nowNanos);
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
        for (int i = 0; i < dueNanos.length; i++) {
            settle(i, now);
            if (couriers.get(i).sent() == null && isPayable(i, now)) {
                beginAll(i);
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
        for (int i = 0; i < dueNanos.length; i++) {
            if (notBeforeNanos[i] - dueNanos[i] < 0) {
                dueNanos[i] = notBeforeNanos[i];
            }
        }
    }

    private void serveNext() {
        if (asked.take()) {
            Arrays.fill(owes, true);
        }
    }

    private boolean isPayable(int index, long nowNanos) {
        return !lost && owes[index] && nowNanos - notBeforeNanos[index] >= 0;
    }

    private void beginAll(int index) {
        boolean begun = begin(index, commits.assignment().all());
        pays[index] = begun && owes[index];
        if (!begun) {
            var _ = commits.news(commits.assignment().all()); // Ends the trouble, where none is left.
        }
        owes[index] &= begun || lost; // Nothing new: all that was asked for is written.
    }

    private void answer() {
        for (boolean owed : owes) {
            if (owed) {
                return;
            }
        }
        asked.answered();
    }

    @Override
    public boolean beforeDispatch(Map<TopicPartition, OffsetAndMetadata> positions) {
        return true;
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
        for (int i = 0; i < dueNanos.length; i++) {
            await(i, sinceNanos, untilNanos);
            // The group may have moved on once more: then the first try is aborted, and so would be any other.
            if (couriers.get(i).sent() == null && begin(i, partitions)) {
                await(i, sinceNanos, untilNanos);
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
        Ends ends = new Ends(couriers.size());
        for (TransactionWriter courier :
                couriers.subList(1, couriers.size())) { // At once: there is one limit for all of them.
            host.background(() -> ends.of(courier, limit));
        }
        ends.of(couriers.getFirst(), limit);
        try {
            ends.await(host.nanoTime() + Shutdown.LEAST_LEFT_NANOS);
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

    /** Which couriers have been closed? */
    private final class Ends {
        private final AtomicInteger open;
        private final AtomicReference<@Nullable RuntimeException> failure = new AtomicReference<>();

        Ends(int couriers) {
            open = new AtomicInteger(couriers);
        }

        /** Any thread. */
        void of(TransactionWriter courier, Duration limit) {
            try {
                courier.close(limit);
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

    private void await(int index, long sinceNanos, long untilNanos) {
        TransactionWriter courier = couriers.get(index);
        while (courier.sent() != null && !courier.hasEnded()) {
            giveUpMissing(courier);
            long now = host.nanoTime();
            // A close may be asked for at any time, also while nobody can serve it.
            long closed = Math.max(inbox.orClose(untilNanos) - now, sinceNanos + Shutdown.LEAST_LEFT_NANOS - now);
            long left = Math.min(untilNanos - now, closed);
            if (left <= 0) {
                log.warn("a transaction did not end within the limit; the next owner of its partitions waits for it");
                return;
            }
            wake.park(left);
        }
        wake.signal(); // What others have told meanwhile is for the next turn, and it should be soon.
        settle(index, host.nanoTime());
    }

    /** Sends what is new of these partitions, as far as they are this courier's. */
    private boolean begin(int index, List<Partition> partitions) {
        pays[index] = false;
        if (lost) {
            return false;
        }
        Map<Partition, TransactionPart> parts = new LinkedHashMap<>(); // Ordered, so that a seed replays.
        for (Partition partition : partitions) {
            if (Math.floorMod(partition.id.hashCode(), dueNanos.length) == index && !isMissing(partition)) {
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
        couriers.get(index)
                .send(new Transaction(parts, commits.requests(Transaction.progress(parts)), consumer.groupMetadata()));
        noteTopics();
        return true;
    }

    /** Acts on the end of a transaction, if it has ended. */
    private void settle(int index, long nowNanos) {
        Transaction transaction = couriers.get(index).sent();
        Transaction.Ending ending = couriers.get(index).take();
        if (transaction == null || ending == null) {
            giveUpMissing(couriers.get(index));
            return;
        }
        noteTopics();
        switch (ending) {
            case Transaction.Committed committed -> {
                owes[index] &= !pays[index];
                commits.confirmed(transaction.progress());
                transaction.parts().forEach((partition, part) -> {
                    count(part.outputs());
                    partition.outputs().written();
                });
            }
            case Transaction.Aborted(Exception cause) -> {
                abandon(transaction);
                dueNanos[index] = nowNanos + PAUSE_NANOS;
                notBeforeNanos[index] = dueNanos[index];
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
