package dev.laneway.engine;

import dev.laneway.BrokerException;
import dev.laneway.Health;
import dev.laneway.RebalanceListener;
import dev.laneway.RestrictedConsumer;
import dev.laneway.engine.commit.BlockingCalls;
import dev.laneway.engine.commit.BrokerRetries;
import dev.laneway.engine.commit.Committer;
import dev.laneway.engine.runtime.EventCounts;
import dev.laneway.engine.runtime.HealthConditions;
import dev.laneway.engine.runtime.ListenerCall;
import dev.laneway.engine.runtime.ObserverCalls;
import dev.laneway.engine.runtime.ReadableDuration;
import dev.laneway.engine.start.ExternalOffsets;
import dev.laneway.engine.start.StartOffsets;
import dev.laneway.engine.track.Assignment;
import dev.laneway.engine.track.Event;
import dev.laneway.engine.track.Partition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.BiConsumer;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.NoOffsetForPartitionException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes and gives up partitions. Runs inside poll, on the owner. A partition that is retained is not touched, so it
 * keeps what it holds. The user's listener is called last; what it throws stops the consumer.
 */
final class Rebalance implements ConsumerRebalanceListener {
    private static final Logger log = LoggerFactory.getLogger(Rebalance.class);

    private static final HealthConditions.Subject LISTENER =
            new HealthConditions.Subject(Health.Cause.STUCK_MEMBER, "listener", "the listener");
    private static final HealthConditions.Subject DRAIN =
            new HealthConditions.Subject(Health.Cause.HANDOVER, "drain", "revoked partitions");

    private final Engine engine;
    private final Consumer<byte[], byte[]> consumer;
    private final BlockingCalls calls;
    private final Assignment assignment;
    private final StartOffsets starts;
    private final @Nullable ExternalOffsets elsewhere;
    private final Committer committer;
    private final EventCounts counts;
    private final RebalanceListener listener;
    private final ListenerCall listenerCall;
    private final HealthConditions conditions;
    private final @Nullable ObserverCalls observers;
    private final long drainLimitNanos;
    /** Taken in, and not announced yet. */
    private final List<Partition> fresh = new ArrayList<>();
    /** Given up with work in flight, which the next assignment of the same partition must not overlap. */
    private final List<Partition> leftovers = new ArrayList<>();

    Rebalance(Engine engine, MemberWiring parts) {
        this.engine = engine;
        this.consumer = parts.consumer();
        this.calls = parts.calls();
        this.assignment = parts.core().assignment();
        this.starts = parts.starts();
        this.elsewhere = parts.elsewhere();
        this.committer = parts.committer();
        this.counts = parts.core().counts();
        this.listener = parts.listener();
        this.listenerCall = parts.listenerCall();
        this.conditions = parts.core().conditions();
        this.observers = counts.observers;
        this.drainLimitNanos = parts.drainLimitNanos();
    }

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> ids) {
        long begunNanos = begun();
        counts.rebalances.increment();
        try {
            open(ids);
        } catch (NoOffsetForPartitionException none) {
            throw BrokerRetries.noOffset(none);
        } catch (KafkaException failure) {
            throw new BrokerException("starting " + ids + " failed: " + failure.getMessage(), failure);
        } finally {
            engine.backInPoll();
        }
        // Before anybody else knows of them: the listener may let them begin elsewhere.
        tell(ListenerConsumer.Fate.ASSIGNED, ids, listener::onAssigned);
        announce();
        if (observers != null) {
            observers.assigned(ids, begunNanos);
        }
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> ids) {
        long begunNanos = begun();
        forget(ids);
        giveUp(assignment.of(ids));
        engine.backInPoll();
        tell(ListenerConsumer.Fate.REVOKED, ids, listener::onRevoked);
        if (observers != null) {
            observers.revoked(ids, begunNanos);
        }
    }

    @Override
    public void onPartitionsLost(Collection<TopicPartition> ids) {
        long begunNanos = begun();
        forget(ids);
        List<Partition> lost = assignment.of(ids);
        if (!lost.isEmpty()) {
            log.warn("lost {}: another member has them; nothing of them is committed any more", ids);
        }
        discard(lost);
        tell(ListenerConsumer.Fate.LOST, ids, listener::onLost);
        if (observers != null) {
            observers.lost(ids, begunNanos);
        }
    }

    /** When something begins whose duration observers are told; nobody else asks the clock. */
    private long begun() {
        return observers == null ? 0 : observers.nanoTime();
    }

    private void tell(
            ListenerConsumer.Fate fate,
            Collection<TopicPartition> ids,
            BiConsumer<RestrictedConsumer, Collection<TopicPartition>> call) {
        String name = switch (fate) {
            case ASSIGNED -> "onAssigned";
            case REVOKED -> "onRevoked";
            case LOST -> "onLost";
        };
        Throwable thrown = null;
        conditions.begin(
                LISTENER,
                Health.Status.DOWN,
                "the rebalance listener's " + name + " of " + HealthConditions.few(ids)
                        + " has not returned, so nothing is" + " fetched or committed: look for what it waits for");
        listenerCall.begin(name + " of " + HealthConditions.few(ids));
        try (ListenerConsumer restricted = restricted(fate, ids)) {
            call.accept(restricted, ids);
        } catch (Throwable failure) {
            thrown = failure;
        }
        boolean interrupted = listenerCall.end();
        conditions.end(LISTENER);
        engine.backInPoll(); // Its calls may have taken a signal.
        if (thrown != null && interrupted) {
            log.warn("the rebalance listener's {} was interrupted by the close: {}", name, thrown.toString());
        } else if (thrown != null) {
            throw new BrokerException("the rebalance listener failed in " + name + ": mend the listener", thrown);
        }
    }

    private ListenerConsumer restricted(ListenerConsumer.Fate fate, Collection<TopicPartition> ids) {
        return new ListenerConsumer(
                fate, ids, consumer, calls, elsewhere == null ? this::begin : null, this::positionOfStarting);
    }

    /** Makes the partitions ready to process, from their start positions on. */
    void take(Collection<TopicPartition> ids) {
        long begunNanos = begun();
        open(ids);
        announce();
        if (observers != null) {
            observers.assigned(ids, begunNanos);
        }
    }

    /**
     * Where a partition that is starting will start, which the client's own position does not tell; -1 for one that is
     * not. Waits for the answer: that is the caller's wish.
     */
    private long positionOfStarting(TopicPartition id) {
        if (!starts.isStarting(id)) {
            return -1;
        }
        return calls.granted("finding the position of " + id, left -> {
            enter(starts.turn());
            if (starts.isStarting(id) && starts.known(id) < 0) {
                throw new TimeoutException("it is not known yet where " + id + " starts");
            }
            return starts.known(id);
        });
    }

    private void open(Collection<TopicPartition> ids) {
        if (elsewhere == null) {
            // Who closes starts nothing more: a question that fails would fail in each of the last polls.
            enter(starts.open(ids, !engine.isClosing()));
        } else {
            try (ListenerConsumer restricted = restricted(ListenerConsumer.Fate.ASSIGNED, ids)) {
                elsewhere.ask(restricted, ids);
            }
        }
    }

    /** A partition that nobody knows of yet begins at another offset. */
    private void begin(TopicPartition id, long offset) {
        starts.forget(List.of(id));
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
        starts.forget(ids);
        if (elsewhere != null) {
            elsewhere.forget(ids);
        }
    }

    /** Adds partitions whose position is set. */
    void place(List<Partition> partitions) {
        enter(partitions);
        announce();
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
        fresh.addAll(partitions);
    }

    private void announce() {
        List<Partition> announced = List.copyOf(fresh);
        fresh.clear();
        announced.stream()
                .filter(partition -> partition.equals(assignment.get(partition.id))) // Else it began elsewhere.
                .forEach(partition -> partition.held.placed());
        engine.admit();
        engine.assignmentChanged();
    }

    /** Lets what is in flight end, within the drain limit, commits, and lets go. */
    void giveUp(List<Partition> partitions) {
        giveUp(partitions, drainLimitNanos, "drainLimit " + ReadableDuration.of(Duration.ofNanos(drainLimitNanos)));
    }

    /**
     * As {@link #giveUp(List)}, with another limit.
     *
     * @param waited what has been waited for in all, for the log
     */
    void giveUp(List<Partition> partitions, long limitNanos, String waited) {
        if (partitions.isEmpty()) {
            return;
        }
        partitions.forEach(partition -> partition.held.close());
        if (limitNanos > 0 && !isIdle(partitions)) {
            conditions.begin(
                    DRAIN,
                    Health.Status.DEGRADED,
                    "nothing is fetched while records of " + HealthConditions.few(ids(partitions))
                            + " end that are given" + " up, for " + waited
                            + " at most: make the handler faster, or lower drainLimit");
        }
        boolean idle;
        try {
            idle = engine.serveUntil(() -> isIdle(partitions), limitNanos);
        } finally {
            conditions.end(DRAIN);
        }
        if (!idle) {
            log.warn(
                    "records of {} are still in flight after {}; their next owner runs them again. Raise that limit,"
                            + " or make the handler faster",
                    HealthConditions.few(ids(partitions.stream()
                            .filter(partition -> partition.held.busy() > 0)
                            .toList())),
                    waited);
        }
        try {
            committer.flush(partitions);
        } finally {
            discard(partitions);
        }
    }

    /** Lets go at once: nothing is committed, what is in flight is interrupted and its results are dropped. */
    void discard(List<Partition> partitions) {
        partitions.forEach(partition -> counts.dropped(partition.id, partition.held.drop()));
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

    /** Finds on where partitions start, and takes in those for which it is known. */
    void startMore() {
        List<Partition> known = starts.turn();
        if (!known.isEmpty()) {
            place(known);
        }
    }

    /** Partitions that were given up and whose handlers still run. */
    List<Partition> leftovers() {
        return leftovers;
    }

    private static List<TopicPartition> ids(List<Partition> partitions) {
        return partitions.stream().map(partition -> partition.id).toList();
    }

    private static boolean isIdle(List<Partition> partitions) {
        return partitions.stream().allMatch(partition -> partition.held.busy() == 0);
    }
}
