package dev.laneway.testkit.sim;

import java.time.Duration;
import java.util.Collection;
import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.clients.consumer.SubscriptionPattern;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.jspecify.annotations.Nullable;

/**
 * The check against a second thread, and the many methods of Kafka's interface that only call another one with a
 * default, or that have nothing to simulate.
 */
abstract class SimConsumerBase implements Consumer<byte[], byte[]> {
    final Duration apiTimeout;
    private @Nullable Thread user;
    private int depth;
    private boolean closed;

    SimConsumerBase(Duration apiTimeout) {
        this.apiTimeout = apiTimeout;
    }

    final boolean isClosed() {
        return closed;
    }

    final void markClosed() {
        closed = true;
    }

    abstract void subscribeTo(Collection<String> topics, @Nullable ConsumerRebalanceListener callback);

    abstract void subscribeTo(Pattern pattern, @Nullable ConsumerRebalanceListener callback);

    abstract void subscribeTo(SubscriptionPattern pattern, @Nullable ConsumerRebalanceListener callback);

    abstract Map<TopicPartition, OffsetAndMetadata> allConsumed();

    abstract void commitAsync(@Nullable OffsetCommitCallback callback, Map<TopicPartition, OffsetAndMetadata> offsets);

    @Override
    public void subscribe(Collection<String> topics) {
        subscribeTo(topics, null);
    }

    @Override
    public void subscribe(Collection<String> topics, ConsumerRebalanceListener callback) {
        subscribeTo(topics, listener(callback));
    }

    @Override
    public void subscribe(Pattern pattern) {
        subscribeTo(pattern, null);
    }

    @Override
    public void subscribe(Pattern pattern, ConsumerRebalanceListener callback) {
        subscribeTo(pattern, listener(callback));
    }

    @Override
    public void subscribe(SubscriptionPattern pattern) {
        subscribeTo(pattern, null);
    }

    @Override
    public void subscribe(SubscriptionPattern pattern, ConsumerRebalanceListener callback) {
        subscribeTo(pattern, listener(callback));
    }

    private static ConsumerRebalanceListener listener(@Nullable ConsumerRebalanceListener callback) {
        if (callback == null) {
            throw new IllegalArgumentException("RebalanceListener cannot be null");
        }
        return callback;
    }

    @Override
    public void commitSync() {
        commitSync(allConsumed(), apiTimeout);
    }

    @Override
    public void commitSync(Duration timeout) {
        commitSync(allConsumed(), timeout);
    }

    @Override
    public void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets) {
        commitSync(offsets, apiTimeout);
    }

    @Override
    public void commitAsync() {
        commitAsync(null, allConsumed());
    }

    @Override
    public void commitAsync(OffsetCommitCallback callback) {
        commitAsync(callback, allConsumed());
    }

    @Override
    public void commitAsync(Map<TopicPartition, OffsetAndMetadata> offsets, OffsetCommitCallback callback) {
        commitAsync(callback, offsets);
    }

    @Override
    public long position(TopicPartition partition) {
        return position(partition, apiTimeout);
    }

    @Override
    public Map<TopicPartition, OffsetAndMetadata> committed(Set<TopicPartition> partitions) {
        return committed(partitions, apiTimeout);
    }

    @Override
    public List<PartitionInfo> partitionsFor(String topic) {
        return partitionsFor(topic, apiTimeout);
    }

    @Override
    public Map<String, List<PartitionInfo>> listTopics() {
        return listTopics(apiTimeout);
    }

    @Override
    public Map<TopicPartition, OffsetAndTimestamp> offsetsForTimes(Map<TopicPartition, Long> timestampsToSearch) {
        return offsetsForTimes(timestampsToSearch, apiTimeout);
    }

    @Override
    public Map<TopicPartition, Long> beginningOffsets(Collection<TopicPartition> partitions) {
        return beginningOffsets(partitions, apiTimeout);
    }

    @Override
    public Map<TopicPartition, Long> endOffsets(Collection<TopicPartition> partitions) {
        return endOffsets(partitions, apiTimeout);
    }

    @Override
    public void enforceRebalance() {
        enforceRebalance("rebalance enforced by user");
    }

    @Override
    public void close() {
        close(CloseOptions.timeout(Duration.ofSeconds(30)));
    }

    @Override
    @Deprecated
    @SuppressWarnings("InlineMeSuggester") // it is Kafka that deprecates it
    public void close(Duration timeout) {
        close(CloseOptions.timeout(timeout));
    }

    /** Telemetry is off in the simulation, so there is no such id; Kafka's client says the same. */
    @Override
    public Uuid clientInstanceId(Duration timeout) {
        throw new IllegalStateException("Telemetry is not enabled. Set config `enable.metrics.push` to `true`.");
    }

    /** Does nothing: there is no telemetry. */
    @Override
    public void registerMetricForSubscription(KafkaMetric metric) {}

    /** Does nothing: there is no telemetry. */
    @Override
    public void unregisterMetricFromSubscription(KafkaMetric metric) {}

    /** Kafka 4.2 deprecates the constructor for applications; a client needs it. */
    @SuppressWarnings({"deprecation", "removal"})
    static ConsumerGroupMetadata groupMetadata(
            String group, int generation, String memberId, @Nullable String instanceId) {
        return new ConsumerGroupMetadata(group, generation, memberId, Optional.ofNullable(instanceId));
    }

    final void locked(Runnable call) {
        locked(() -> {
            call.run();
            return true;
        });
    }

    final <R> R locked(Supplier<R> call) {
        acquire();
        try {
            if (closed) {
                throw new IllegalStateException("This consumer has already been closed.");
            }
            return call.get();
        } finally {
            release();
        }
    }

    /** Callbacks may call the consumer again, from the same thread. */
    final void acquire() {
        Thread current = Thread.currentThread();
        Thread other = user;
        if (other != null && !other.equals(current)) {
            throw new ConcurrentModificationException(
                    "KafkaConsumer is not safe for multi-threaded access. currentThread(name: " + current.getName()
                            + ") otherThread(name: " + other.getName() + ")");
        }
        user = current;
        depth++;
    }

    final void release() {
        if (--depth == 0) {
            user = null;
        }
    }
}
