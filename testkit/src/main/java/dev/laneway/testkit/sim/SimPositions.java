package dev.laneway.testkit.sim;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.consumer.NoOffsetForPartitionException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RetriableException;
import org.jspecify.annotations.Nullable;

/** Finds where newly assigned partitions start: at the committed offset, or by {@code auto.offset.reset}. */
final class SimPositions {
    private final SimBroker broker;
    private final SimConsumerConfig config;
    private final SimConnection connection;
    private final SimSubscription subscription;
    private @Nullable CompletableFuture<Map<TopicPartition, OffsetAndMetadata>> committed;
    private @Nullable Set<TopicPartition> committedOf;
    private @Nullable CompletableFuture<Map<TopicPartition, Long>> resets;
    private long retryNanos;

    SimPositions(SimBroker broker, SimConsumerConfig config, SimConnection connection, SimSubscription subscription) {
        this.broker = broker;
        this.config = config;
        this.connection = connection;
        this.subscription = subscription;
    }

    boolean hasNews() {
        if (broker.clock().nanoTime() < retryNanos) {
            return false; // Then nothing is looked at, not even an answer.
        }
        boolean answered = (committed != null && committed.isDone()) || (resets != null && resets.isDone());
        boolean unasked = committed == null
                && resets == null
                && !(subscription.initializing().isEmpty()
                        && subscription.awaitingReset().isEmpty());
        return answered || unasked;
    }

    /** Goes on as far as possible without waiting. */
    void update() {
        if (broker.clock().nanoTime() < retryNanos) {
            return;
        }
        if (lookUpCommitted()) {
            for (TopicPartition partition : subscription.initializing()) {
                if (config.reset().kind() == SimConsumerConfig.Reset.Kind.NONE) {
                    throw new NoOffsetForPartitionException(Set.copyOf(subscription.initializing()));
                }
                subscription.get(partition).requestReset(config.reset());
            }
        }
        reset();
    }

    /** False while committed offsets are not known yet. */
    private boolean lookUpCommitted() {
        Set<TopicPartition> wanted = new LinkedHashSet<>(subscription.initializing());
        String group = config.groupId();
        if (wanted.isEmpty() || group == null) {
            committed = null;
            return true;
        }
        if (committed == null || !wanted.equals(committedOf)) {
            committedOf = wanted;
            committed = connection.ask(
                    SimOp.OFFSET_FETCH, () -> broker.coordinated(group).fetch(wanted));
        }
        CompletableFuture<Map<TopicPartition, OffsetAndMetadata>> answer = committed;
        if (!answer.isDone()) {
            return false;
        }
        committed = null;
        if (failed(answer)) {
            return false;
        }
        answer.resultNow().forEach((partition, offset) -> {
            SimSubscription.State state = subscription.find(partition);
            if (offset != null && state != null) {
                state.seek(offset.offset(), offset.leaderEpoch());
            }
        });
        return true;
    }

    private void reset() {
        List<TopicPartition> wanted = subscription.awaitingReset();
        if (resets == null && !wanted.isEmpty()) {
            Map<TopicPartition, SimConsumerConfig.Reset> goals = new LinkedHashMap<>();
            for (TopicPartition partition : wanted) {
                SimConsumerConfig.Reset goal = subscription.get(partition).reset();
                if (goal != null && broker.ledLog(partition) != null) {
                    goals.put(partition, goal);
                }
            }
            if (goals.isEmpty()) {
                backOff(); // None of them has a leader.
                return;
            }
            resets = connection.ask(SimOp.LIST_OFFSETS, () -> lookUp(goals));
        }
        CompletableFuture<Map<TopicPartition, Long>> answer = resets;
        if (answer == null || !answer.isDone()) {
            return;
        }
        resets = null;
        if (!failed(answer)) {
            answer.resultNow().forEach((partition, offset) -> {
                SimSubscription.State state = subscription.find(partition);
                if (state != null && state.reset() != null && !state.hasPosition()) {
                    state.seek(offset, java.util.Optional.empty());
                }
            });
        }
    }

    private Map<TopicPartition, Long> lookUp(Map<TopicPartition, SimConsumerConfig.Reset> goals) {
        Map<TopicPartition, Long> offsets = new LinkedHashMap<>();
        goals.forEach((partition, goal) -> {
            SimLog log = broker.ledLog(partition);
            if (log == null) {
                return; // Asked for again.
            }
            long offset = switch (goal.kind()) {
                case EARLIEST -> log.startOffset();
                case LATEST, NONE -> log.limit(config.readCommitted());
                case BY_DURATION -> {
                    java.time.Duration age = goal.age();
                    SimLog.Entry found =
                            log.firstAtOrAfter(broker.clock().millis() - (age == null ? 0 : age.toMillis()));
                    yield found == null ? log.endOffset() : found.offset;
                }
            };
            offsets.put(partition, offset);
        });
        return offsets;
    }

    /** Retriable failures are tried again after a while, others are the application's. */
    private boolean failed(CompletableFuture<?> answer) {
        RuntimeException failure = SimFutures.failure(answer);
        if (failure != null && !(failure instanceof RetriableException)) {
            throw failure;
        }
        if (failure != null) {
            backOff();
        }
        return failure != null;
    }

    private void backOff() {
        retryNanos = SimClock.saturatedAdd(broker.clock().nanoTime(), config.retryBackoffNanos());
        broker.clock().schedule(config.retryBackoffNanos(), () -> {});
    }
}
