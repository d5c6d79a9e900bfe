package dev.laneway.testkit.sim;

import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.ConcurrentModificationException;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.clients.consumer.SubscriptionPattern;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InvalidGroupIdException;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A consumer of the simulated cluster, with the semantics of {@code KafkaConsumer} 4.3 under both group protocols.
 * Rebalance listeners and commit callbacks run inside {@code poll}, {@code commitSync} and {@code close}, on the
 * calling thread.
 *
 * <p>By default {@code poll} does not wait for data, because only the driver of the simulation moves time. With
 * {@link #onIdlePoll} or {@link #waitInPoll} time passes in {@code poll}. Other calls that wait in Kafka
 * ({@code commitSync}, {@code position}, {@code committed} and so on) let the simulation go on until they are answered.
 *
 * <p>Made by {@link SimBroker#consumer}. Thread contract: one thread at a time, and as in Kafka a call from a second
 * one fails with {@link ConcurrentModificationException}; {@link #wakeup} is free.
 */
public final class SimConsumer extends SimConsumerQueries {
    private final SimPositions positions;
    private final SimPolling.@Nullable Group group;
    private final SimPolling polling;
    private @Nullable Consumer<Duration> idlePoll;

    SimConsumer(SimBroker broker, SimConsumerConfig config) {
        super(broker, config);
        this.positions = new SimPositions(broker, config, coordinator, subscription);
        this.group = config.groupId() == null ? null : joinLater(config.groupId());
        this.polling = new SimPolling(broker, config, subscription, blocking, fetcher, positions, group);
    }

    private SimPolling.Group joinLater(String id) {
        SimMember member = config.modern()
                ? new SimConsumerMember(broker, config, id, coordinator, subscription, () -> polling.autoCommitNow())
                : new SimClassicMember(broker, config, id, coordinator, subscription, () -> polling.autoCommitNow());
        return new SimPolling.Group(id, member, new SimCommits(broker, config, id, coordinator, member, blocking));
    }

    // What only a simulation has

    /**
     * Sets a hook that {@code poll} calls with the time that is left, if it has nothing to return. If virtual time has
     * passed in the hook, {@code poll} looks again, else it returns. {@code consumer.onIdlePoll(sim::pass)} lets the
     * whole timeout pass.
     */
    public void onIdlePoll(Consumer<Duration> hook) {
        idlePoll = hook;
    }

    /**
     * Makes {@code poll} wait as the real one does: the simulation goes on until there is something to return or the
     * timeout has passed.
     */
    public void waitInPoll() {
        idlePoll = left -> broker.waiting().await(this::hasNews, left);
    }

    /** The consumer's process dies: no request is sent, no callback runs, and the object cannot be used any more. */
    public void kill() {
        if (group != null) {
            group.member().kill();
        }
        cutOff(true);
        markClosed();
        broker.trace().event("killed", config.clientId());
    }

    /**
     * Cuts the consumer off from the cluster, or connects it again. While it is cut off, its requests do not arrive and
     * get no answer.
     */
    public void cutOff(boolean off) {
        data.cut(off);
        coordinator.cut(off);
    }

    /** Whether a poll could do or return something now. */
    public boolean hasNews() {
        return polling.hasNews();
    }

    /**
     * The bytes that fetches have brought. If they exceed the bytes of the returned records, something was fetched in
     * vain.
     */
    public long bytesFetched() {
        return fetcher.bytesFetched();
    }

    // Subscription

    @Override
    void subscribeTo(Collection<String> topics, @Nullable ConsumerRebalanceListener callback) {
        locked(() -> {
            requireGroup();
            if (topics == null) {
                throw new IllegalArgumentException("Topic collection to subscribe to cannot be null");
            }
            if (topics.stream().anyMatch(topic -> topic == null || topic.isBlank())) {
                throw new IllegalArgumentException(
                        "Topic collection to subscribe to cannot contain null or empty topic");
            }
            if (topics.isEmpty()) {
                unsubscribe();
            } else {
                subscription.subscribe(topics, callback);
                dropBuffered(partition -> topics.contains(partition.topic()));
            }
        });
    }

    @Override
    void subscribeTo(Pattern pattern, @Nullable ConsumerRebalanceListener callback) {
        locked(() -> {
            requireGroup();
            if (pattern == null || pattern.pattern().isEmpty()) {
                throw new IllegalArgumentException(
                        "Topic pattern to subscribe to cannot be " + (pattern == null ? "null" : "empty"));
            }
            subscription.subscribe(topic -> pattern.matcher(topic).matches(), callback);
            subscription.refresh(broker.topicNames());
        });
    }

    @Override
    void subscribeTo(SubscriptionPattern pattern, @Nullable ConsumerRebalanceListener callback) {
        if (!config.modern()) {
            throw new UnsupportedOperationException(
                    "Subscribe to RE2/J pattern is not supported when using the CLASSIC protocol "
                            + "defined in config group.protocol");
        }
        subscribeTo(Pattern.compile(pattern.pattern()), callback);
    }

    @Override
    public void assign(Collection<TopicPartition> partitions) {
        locked(() -> {
            if (partitions == null) {
                throw new IllegalArgumentException("Topic partition collection to assign to cannot be null");
            }
            if (partitions.isEmpty()) {
                unsubscribe();
            } else {
                subscription.assign(new LinkedHashSet<>(partitions));
                dropBuffered(partitions::contains);
            }
        });
    }

    private void dropBuffered(java.util.function.Predicate<TopicPartition> keep) {
        Set<TopicPartition> kept = new LinkedHashSet<>(subscription.partitions());
        kept.removeIf(keep.negate());
        fetcher.retain(kept);
    }

    @Override
    public void unsubscribe() {
        locked(() -> {
            fetcher.retain(Set.of());
            try {
                if (group != null) {
                    group.member().leave(CloseOptions.GroupMembershipOperation.DEFAULT);
                }
            } finally {
                subscription.clear();
            }
        });
    }

    @Override
    public Set<TopicPartition> assignment() {
        return locked(() -> Collections.unmodifiableSet(new LinkedHashSet<>(subscription.partitions())));
    }

    @Override
    public Set<String> subscription() {
        return locked(() -> Collections.unmodifiableSet(new LinkedHashSet<>(subscription.topics())));
    }

    // Poll

    @Override
    public ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
        return locked(() -> {
            if (subscription.isEmpty()) {
                throw new IllegalStateException("Consumer is not subscribed to any topics or assigned any partitions");
            }
            if (broker.faults().decide(SimOp.POLL) instanceof Faults.Fail fail) {
                throw fail.error().get();
            }
            long deadline = SimClock.saturatedAdd(broker.clock().nanoTime(), SimTimes.nanos(timeout));
            while (true) {
                blocking.throwIfWoken();
                ConsumerRecords<byte[], byte[]> records = polling.once();
                if (records != null) {
                    return records;
                }
                long before = broker.clock().nanoTime();
                Consumer<Duration> hook = idlePoll;
                if (hook == null || before >= deadline) {
                    return ConsumerRecords.empty();
                }
                hook.accept(Duration.ofNanos(deadline - before));
                if (broker.clock().nanoTime() == before && !hasNews()) {
                    return ConsumerRecords.empty();
                }
            }
        });
    }

    @Override
    public void pause(Collection<TopicPartition> partitions) {
        locked(() -> partitions.forEach(partition -> subscription.pause(partition, true)));
    }

    @Override
    public void resume(Collection<TopicPartition> partitions) {
        locked(() -> partitions.forEach(partition -> subscription.pause(partition, false)));
    }

    @Override
    public Set<TopicPartition> paused() {
        return locked(() -> Collections.unmodifiableSet(subscription.paused()));
    }

    // Commits

    @Override
    Map<TopicPartition, OffsetAndMetadata> allConsumed() {
        return locked(subscription::allConsumed);
    }

    @Override
    public void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout) {
        locked(() -> {
            if (!requireGroup().commits().sync(offsets, SimTimes.nanos(timeout))) {
                throw new TimeoutException("Timeout of " + timeout.toMillis()
                        + "ms expired before successfully committing offsets " + offsets);
            }
        });
    }

    @Override
    void commitAsync(@Nullable OffsetCommitCallback callback, Map<TopicPartition, OffsetAndMetadata> offsets) {
        locked(() -> requireGroup().commits().async(offsets, callback));
    }

    @Override
    public Map<TopicPartition, OffsetAndMetadata> committed(Set<TopicPartition> partitions, Duration timeout) {
        return locked(() -> lookups.committed(requireGroup().id(), partitions, timeout));
    }

    // Positions

    @Override
    public void seek(TopicPartition partition, long offset) {
        seek(partition, offset, Optional.empty());
    }

    @Override
    public void seek(TopicPartition partition, OffsetAndMetadata offset) {
        seek(partition, offset.offset(), offset.leaderEpoch());
    }

    private void seek(TopicPartition partition, long offset, Optional<Integer> epoch) {
        if (offset < 0) {
            throw new IllegalArgumentException("seek offset must not be a negative number");
        }
        locked(() -> subscription.get(partition).seek(offset, epoch));
    }

    @Override
    public void seekToBeginning(Collection<TopicPartition> partitions) {
        reset(partitions, SimConsumerConfig.Reset.EARLIEST);
    }

    @Override
    public void seekToEnd(Collection<TopicPartition> partitions) {
        reset(partitions, SimConsumerConfig.Reset.LATEST);
    }

    private void reset(Collection<TopicPartition> partitions, SimConsumerConfig.Reset to) {
        locked(() -> {
            Collection<TopicPartition> which = partitions.isEmpty() ? subscription.partitions() : partitions;
            which.forEach(partition -> subscription.get(partition).requestReset(to));
        });
    }

    @Override
    public long position(TopicPartition partition, Duration timeout) {
        return locked(() -> {
            SimSubscription.State state = subscription.find(partition);
            if (state == null) {
                throw new IllegalStateException(
                        "You can only check the position for partitions assigned to this consumer.");
            }
            long deadline = SimClock.saturatedAdd(broker.clock().nanoTime(), SimTimes.nanos(timeout));
            while (!state.hasPosition()) {
                positions.update();
                if (!state.hasPosition() && !blocking.await(positions::hasNews, deadline)) {
                    throw new TimeoutException("Timeout of " + timeout.toMillis()
                            + "ms expired before the position for partition " + partition + " could be determined");
                }
            }
            return state.position();
        });
    }

    // The rest

    @Override
    public ConsumerGroupMetadata groupMetadata() {
        return locked(() -> requireGroup().member().metadata());
    }

    @Override
    public void enforceRebalance(String reason) {
        locked(() -> {
            if (group == null) {
                throw new IllegalStateException("Tried to force a rebalance but consumer does not have a group.");
            }
            group.member().requestRejoin();
        });
    }

    @Override
    public void wakeup() {
        blocking.wakeup();
    }

    @Override
    public void close(CloseOptions option) {
        acquire();
        try {
            if (!isClosed()) {
                Duration timeout = option.timeout().orElse(Duration.ofSeconds(30));
                if (timeout.isNegative()) {
                    throw new IllegalArgumentException("The timeout cannot be negative.");
                }
                closeOnce(option.groupMembershipOperation(), timeout);
            }
        } finally {
            markClosed();
            release();
        }
    }

    private void closeOnce(CloseOptions.GroupMembershipOperation operation, Duration timeout) {
        blocking.ignoreWakeups();
        long deadline = SimClock.saturatedAdd(
                broker.clock().nanoTime(), Math.min(SimTimes.nanos(timeout), config.requestTimeoutNanos()));
        if (group != null) {
            polling.autoCommitNow();
            try {
                group.member().leave(operation);
            } catch (RuntimeException e) {
                throw new KafkaException("Failed to close kafka consumer", e);
            } finally {
                group.commits().awaitPending(deadline);
                blocking.await(coordinator::isQuiet, deadline);
                broker.trace().event("closed", config.clientId());
            }
        }
    }

    private SimPolling.Group requireGroup() {
        if (group == null) {
            throw new InvalidGroupIdException(
                    "To use the group management or offset commit APIs, you must provide a valid group.id in the "
                            + "consumer configuration.");
        }
        return group;
    }
}
