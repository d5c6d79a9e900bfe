package dev.laneway.engine;

import dev.laneway.BrokerException;
import dev.laneway.RebalanceListener;
import dev.laneway.RestrictedConsumer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.BiConsumer;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes and gives up partitions. Runs inside poll, on the owner. A partition that is retained is not touched, so it
 * keeps what it holds. The user's listener is called last; what it throws stops the consumer.
 */
final class Rebalance implements ConsumerRebalanceListener {
    private static final Logger log = LoggerFactory.getLogger(Rebalance.class);

    private final Engine engine;
    private final Consumer<byte[], byte[]> consumer;
    private final Calls calls;
    private final Assignment assignment;
    private final Starts starts;
    private final @Nullable Elsewhere elsewhere;
    private final Committer committer;
    private final Counts counts;
    private final RebalanceListener listener;
    private final long drainLimitNanos;
    /** Given up with work in flight, which the next assignment of the same partition must not overlap. */
    private final List<Partition> leftovers = new ArrayList<>();

    Rebalance(
            Engine engine,
            Consumer<byte[], byte[]> consumer,
            Calls calls,
            Assignment assignment,
            Starts starts,
            @Nullable Elsewhere elsewhere,
            Committer committer,
            Counts counts,
            RebalanceListener listener,
            long drainLimitNanos) {
        this.engine = engine;
        this.consumer = consumer;
        this.calls = calls;
        this.assignment = assignment;
        this.starts = starts;
        this.elsewhere = elsewhere;
        this.committer = committer;
        this.counts = counts;
        this.listener = listener;
        this.drainLimitNanos = drainLimitNanos;
    }

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> ids) {
        counts.rebalances.increment();
        try {
            open(ids);
        } catch (KafkaException failure) {
            throw new BrokerException("starting " + ids + " failed: " + failure.getMessage(), failure);
        } finally {
            engine.backInPoll();
        }
        // Before anybody else knows of them: the listener may let them begin elsewhere.
        tell(Restricted.Fate.ASSIGNED, ids, listener::onAssigned);
        announce(assignment.of(ids));
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> ids) {
        forget(ids);
        giveUp(assignment.of(ids), drainLimitNanos);
        engine.backInPoll();
        tell(Restricted.Fate.REVOKED, ids, listener::onRevoked);
    }

    @Override
    public void onPartitionsLost(Collection<TopicPartition> ids) {
        forget(ids);
        List<Partition> lost = assignment.of(ids);
        if (!lost.isEmpty()) {
            log.warn("lost {}: another member has them; nothing of them is committed any more", ids);
        }
        discard(lost);
        tell(Restricted.Fate.LOST, ids, listener::onLost);
    }

    private void tell(
            Restricted.Fate fate,
            Collection<TopicPartition> ids,
            BiConsumer<RestrictedConsumer, Collection<TopicPartition>> call) {
        try (Restricted restricted = restricted(fate, ids)) {
            call.accept(restricted, ids);
        } catch (Throwable failure) {
            throw new BrokerException(
                    "the rebalance listener failed in "
                            + switch (fate) {
                                case ASSIGNED -> "onAssigned";
                                case REVOKED -> "onRevoked";
                                case LOST -> "onLost";
                            }
                            + ": mend the listener",
                    failure);
        } finally {
            Thread.interrupted(); // Kafka's client, whose poll this is in, would take a flag for its own.
            engine.backInPoll(); // Its calls may have taken a signal.
        }
    }

    private Restricted restricted(Restricted.Fate fate, Collection<TopicPartition> ids) {
        return new Restricted(fate, ids, consumer, calls, elsewhere == null ? this::begin : null);
    }

    /** Makes the partitions ready to process, from their start positions on. */
    void take(Collection<TopicPartition> ids) {
        open(ids);
        announce(assignment.of(ids));
    }

    private void open(Collection<TopicPartition> ids) {
        if (elsewhere == null) {
            enter(starts.open(ids));
        } else {
            try (Restricted restricted = restricted(Restricted.Fate.ASSIGNED, ids)) {
                elsewhere.ask(restricted, ids);
            }
        }
    }

    /** A partition that nobody knows of yet begins at another offset. */
    private void begin(TopicPartition id, long offset) {
        assignment.of(List.of(id)).forEach(instead -> instead.held.drop());
        consumer.seek(id, offset);
        enter(List.of(starts.from(id, offset)));
    }

    /** Those whose offsets are kept elsewhere are known now; makes them ready, if they are still this member's. */
    void located(Event.Located answer) {
        if (elsewhere != null) {
            place(elsewhere.located(answer));
        }
    }

    private void forget(Collection<TopicPartition> ids) {
        if (elsewhere != null) {
            elsewhere.forget(ids);
        }
    }

    /** Adds partitions whose position is set. */
    void place(List<Partition> partitions) {
        enter(partitions);
        announce(partitions);
    }

    private void enter(List<Partition> partitions) {
        for (Partition partition : partitions) {
            overlapsNothing(partition);
            if (engine.isClosing()) {
                partition.held.close();
            }
            if (engine.isPausedByUser(partition.id)) {
                partition.pausedByUser = true;
                partition.held.pause();
            }
        }
        assignment.add(partitions);
    }

    private void announce(List<Partition> partitions) {
        partitions.forEach(partition -> partition.held.placed());
        engine.admit();
        engine.assignmentChanged();
    }

    /** Lets what is in flight end, within the limit, commits, and lets go. */
    void giveUp(List<Partition> partitions, long limitNanos) {
        if (partitions.isEmpty()) {
            return;
        }
        partitions.forEach(partition -> partition.held.close());
        if (!engine.serveUntil(() -> isIdle(partitions), limitNanos)) {
            log.warn(
                    "records of {} are still in flight after the limit of {} ms; their next owner runs them again."
                            + " Raise drainLimit or closeLimit, or make the handler faster",
                    partitions.stream()
                            .filter(partition -> partition.held.busy() > 0)
                            .map(partition -> partition.id)
                            .toList(),
                    limitNanos / 1_000_000);
        }
        try {
            committer.flush(partitions);
        } finally {
            discard(partitions);
        }
    }

    /** Lets go at once: nothing is committed, what is in flight is interrupted and its results are dropped. */
    void discard(List<Partition> partitions) {
        partitions.forEach(partition -> counts.dropped.add(partition.held.drop()));
        engine.dropped(partitions);
        for (Partition partition : partitions) {
            if (partition.held.busy() > 0) {
                leftovers.add(partition);
            }
        }
        assignment.remove(partitions);
        engine.assignmentChanged();
    }

    private void overlapsNothing(Partition partition) {
        partition.held.block(leftovers.stream().anyMatch(leftover -> leftover.id.equals(partition.id)));
    }

    /** Lets partitions start whose earlier assignment has come to its end. */
    void turn() {
        if (!leftovers.isEmpty() && leftovers.removeIf(leftover -> leftover.held.busy() == 0)) {
            assignment.all().forEach(this::overlapsNothing);
            engine.assignmentChanged();
        }
    }

    /** Partitions that were given up and whose handlers still run. */
    List<Partition> leftovers() {
        return leftovers;
    }

    private static boolean isIdle(List<Partition> partitions) {
        return partitions.stream().allMatch(partition -> partition.held.busy() == 0);
    }
}
