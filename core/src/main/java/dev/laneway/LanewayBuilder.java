package dev.laneway;

import dev.laneway.engine.ConsumerLaunch;
import dev.laneway.engine.LaunchSettings;
import dev.laneway.engine.config.TopicSelection;
import dev.laneway.engine.handle.HandlerSpec;
import dev.laneway.engine.share.ShareLaunch;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ShareConsumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.Serializer;
import org.jspecify.annotations.Nullable;

/**
 * Describes a consumer. {@link #process}, {@link #processAsync}, {@link #processBatch} or {@link #transform} starts it;
 * a builder starts one consumer only. {@link Options} and {@link Limits} describe each option with its unit and
 * default. Not thread-safe.
 *
 * <p>A method that is given a value that cannot work throws a {@link ConfigurationException}. So do the methods that
 * start, for a combination that cannot work; with {@link StartCheck#FAIL} they throw a {@link BrokerException} if no
 * broker answers or a topic is missing.
 */
public final class LanewayBuilder<K, V> {
    private final Map<String, Object> kafkaConfig;
    private final AtomicBoolean started;
    private final Deserializer<K> keys;
    private final Deserializer<V> values;
    private Options options = Options.DEFAULTS;
    private Map<String, Object> producerConfig = Map.of();
    private @Nullable TopicSelection subscription;
    private @Nullable Supplier<? extends Consumer<byte[], byte[]>> clients;
    private @Nullable Supplier<? extends Producer<byte[], byte[]>> producers;
    private @Nullable RebalanceListener listener;
    /** Whether it reads as a member of a share group. */
    private boolean shares;

    private @Nullable Supplier<? extends ShareConsumer<byte[], byte[]>> shareClients;

    private LanewayBuilder(
            Map<String, Object> kafkaConfig, AtomicBoolean started, Deserializer<K> keys, Deserializer<V> values) {
        this.kafkaConfig = kafkaConfig;
        this.started = started;
        this.keys = keys;
        this.values = values;
    }

    static LanewayBuilder<byte[], byte[]> of(Map<String, ?> kafkaConfig) {
        return new LanewayBuilder<>(
                new HashMap<>(kafkaConfig),
                new AtomicBoolean(),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
    }

    LanewayBuilder<K, V> shares(@Nullable Supplier<? extends ShareConsumer<byte[], byte[]>> suppliedClients) {
        shares = true;
        shareClients = suppliedClients;
        return ordering(Ordering.UNORDERED);
    }

    LanewayBuilder<K, V> clients(Supplier<? extends Consumer<byte[], byte[]>> suppliedClients) {
        this.clients = suppliedClients;
        return this;
    }

    /**
     * Reads keys and values with these, on several workers at once: they must be thread-safe. If one fails, the
     * record's attempt has failed.
     */
    public <K2, V2> LanewayBuilder<K2, V2> deserializers(Deserializer<K2> newKeys, Deserializer<V2> newValues) {
        LanewayBuilder<K2, V2> typed = new LanewayBuilder<>(kafkaConfig, started, newKeys, newValues);
        typed.options = options;
        typed.producerConfig = producerConfig;
        typed.subscription = subscription;
        typed.clients = clients;
        typed.producers = producers;
        typed.listener = listener;
        typed.shares = shares;
        typed.shareClients = shareClients;
        return typed;
    }

    /** Subscribes to topics by name; the group shares their partitions. */
    public LanewayBuilder<K, V> subscribe(String... topics) {
        return subscribe(Arrays.asList(topics));
    }

    /** Subscribes to topics by name; the group shares their partitions. */
    public LanewayBuilder<K, V> subscribe(Collection<String> topics) {
        subscription = new TopicSelection.Topics(List.copyOf(topics));
        return this;
    }

    /** Subscribes to every topic whose name matches, those created later included. */
    public LanewayBuilder<K, V> subscribe(Pattern pattern) {
        subscription = new TopicSelection.Matching(pattern);
        return this;
    }

    /**
     * Takes these partitions, without the group's assignment. Progress is committed to the group, so {@code group.id}
     * is required here too. Several members share the partitions.
     */
    public LanewayBuilder<K, V> assign(Collection<TopicPartition> partitions) {
        subscription = new TopicSelection.Partitions(List.copyOf(partitions));
        return this;
    }

    /**
     * Kafka's own properties for the producer of dead letters and emitted records, in addition to the connection
     * properties of the consumer ({@code bootstrap.servers}, {@code security.*}, {@code sasl.*}, {@code ssl.*}).
     */
    public LanewayBuilder<K, V> producer(Map<String, ?> config) {
        producerConfig = new HashMap<>(config);
        return this;
    }

    /**
     * Uses producers of the caller's for dead letters and emitted records: one per member, and a new one if one could
     * not log in. Laneway closes them.
     */
    public LanewayBuilder<K, V> producer(Supplier<? extends Producer<byte[], byte[]>> supplier) {
        producers = supplier;
        return this;
    }

    /** Hears of changes of the assignment, on the owner thread. */
    public LanewayBuilder<K, V> onRebalance(RebalanceListener rebalanceListener) {
        listener = rebalanceListener;
        return this;
    }

    /** All options at once. */
    public LanewayBuilder<K, V> options(Options all) {
        Checks.given("options", all);
        options = all;
        return this;
    }

    /** All limits at once. See {@link Options#limits()}. */
    public LanewayBuilder<K, V> limits(Limits limits) {
        return options(options.withLimits(limits));
    }

    /** Names the consumer in threads, logs and headers. See {@link Options#name()}. */
    public LanewayBuilder<K, V> name(String name) {
        return options(options.withName(name));
    }

    /** Which records may overlap. See {@link Options#ordering()}. */
    public LanewayBuilder<K, V> ordering(Ordering ordering) {
        return options(options.withOrdering(ordering));
    }

    /** How many handlers run at once, all members together; at least 1. See {@link Options#concurrency()}. */
    public LanewayBuilder<K, V> concurrency(int concurrency) {
        return options(options.withConcurrency(concurrency));
    }

    /** How many members of the group this process runs, with one owner thread each. See {@link Options#consumers()}. */
    public LanewayBuilder<K, V> consumers(int consumers) {
        return options(options.withConsumers(consumers));
    }

    /** The budget of records held per member; 0 sizes it from the concurrency. See {@link Options#bufferRecords()}. */
    public LanewayBuilder<K, V> bufferRecords(int bufferRecords) {
        return options(options.withBufferRecords(bufferRecords));
    }

    /** The budget of key and value bytes held per member. See {@link Options#bufferBytes()}. */
    public LanewayBuilder<K, V> bufferBytes(long bufferBytes) {
        return options(options.withBufferBytes(bufferBytes));
    }

    /**
     * How long an attempt may take before it is interrupted and counts as failed. Without it an attempt may take for
     * ever. See {@link Options#attemptLimit()}.
     */
    public LanewayBuilder<K, V> attemptLimit(@Nullable Duration attemptLimit) {
        return options(options.withAttemptLimit(attemptLimit));
    }

    /** What happens to records whose attempt failed. See {@link Options#failurePolicy()}. */
    public LanewayBuilder<K, V> onFailure(FailurePolicy failurePolicy) {
        return options(options.withFailurePolicy(failurePolicy));
    }

    /** How progress is committed. See {@link Options#commit()}. */
    public LanewayBuilder<K, V> commit(CommitMode commit) {
        return options(options.withCommit(commit));
    }

    /**
     * How often unchanged progress is committed again, so that brokers do not forget it. See
     * {@link Limits#commitRefresh()}.
     */
    public LanewayBuilder<K, V> commitRefresh(Duration commitRefresh) {
        return limits(options.limits().withCommitRefresh(commitRefresh));
    }

    /**
     * Writes what handlers emit exactly once: {@code commit(CommitMode.exactlyOnce(transactionalId))}. The consumer
     * reads with {@code isolation.level=read_committed}.
     */
    public LanewayBuilder<K, V> exactlyOnce(String transactionalId) {
        return commit(CommitMode.exactlyOnce(transactionalId));
    }

    /**
     * How long a rebalance waits for the handlers of a revoked partition; well under {@code max.poll.interval.ms}. See
     * {@link Limits#drainLimit()}.
     */
    public LanewayBuilder<K, V> drainLimit(@Nullable Duration drainLimit) {
        return limits(options.limits().withDrainLimit(drainLimit));
    }

    /** How long {@code close} waits for work in flight before it interrupts it. See {@link Limits#closeLimit()}. */
    public LanewayBuilder<K, V> closeLimit(Duration closeLimit) {
        return limits(options.limits().withCloseLimit(closeLimit));
    }

    /** After which age an unfinished record makes the health DOWN. See {@link Limits#stallLimit()}. */
    public LanewayBuilder<K, V> stallLimit(Duration stallLimit) {
        return limits(options.limits().withStallLimit(stallLimit));
    }

    /** After which age an unfinished record makes the health DEGRADED. See {@link Limits#stuckLimit()}. */
    public LanewayBuilder<K, V> stuckLimit(Duration stuckLimit) {
        return limits(options.limits().withStuckLimit(stuckLimit));
    }

    /** How soon {@link Laneway#health()} names what keeps records from flowing. See {@link Limits#healthLimit()}. */
    public LanewayBuilder<K, V> healthLimit(Duration healthLimit) {
        return limits(options.limits().withHealthLimit(healthLimit));
    }

    /** What happens if brokers or topics are missing at start. See {@link Options#startCheck()}. */
    public LanewayBuilder<K, V> startCheck(StartCheck startCheck) {
        return options(options.withStartCheck(startCheck));
    }

    /**
     * How long the consumer waits for a broker that does not answer, where it has to wait. See
     * {@link Limits#brokerLimit()}.
     */
    public LanewayBuilder<K, V> brokerLimit(Duration brokerLimit) {
        return limits(options.limits().withBrokerLimit(brokerLimit));
    }

    /**
     * How long authentication and authorisation errors are retried before they stop the consumer. See
     * {@link Limits#retryAuthorization()}.
     */
    public LanewayBuilder<K, V> retryAuthorization(Duration retryAuthorization) {
        return limits(options.limits().withRetryAuthorization(retryAuthorization));
    }

    /** Where handlers run. See {@link Options#workers()}. */
    public LanewayBuilder<K, V> workers(Workers workers) {
        return options(options.withWorkers(workers));
    }

    /** The order of records without a key. See {@link Options#nullKeys()}. */
    public LanewayBuilder<K, V> nullKeys(NullKeys nullKeys) {
        return options(options.withNullKeys(nullKeys));
    }

    /**
     * Which records keep their order, where that is not told by the record's key: those of one partition with the same
     * lane key. For {@link Ordering#KEY}, and not for share groups. See {@link Options#laneKey()}.
     */
    public LanewayBuilder<K, V> laneKey(@Nullable LaneKey laneKey) {
        return options(options.withLaneKey(laneKey));
    }

    /** When a record may be handled at the earliest, each by itself. See {@link Options#notBefore()}. */
    public LanewayBuilder<K, V> notBefore(NotBefore.Time time) {
        return notBefore(NotBefore.of(time));
    }

    /** When a record may be handled at the earliest; null for at once. See {@link Options#notBefore()}. */
    public LanewayBuilder<K, V> notBefore(@Nullable NotBefore notBefore) {
        return options(options.withNotBefore(notBefore));
    }

    /** What is done with commit metadata of other programs. See {@link Options#metadata()}. */
    public LanewayBuilder<K, V> metadata(MetadataPolicy metadata) {
        return options(options.withMetadata(metadata));
    }

    /** What happens when a commit's metadata has no room. See {@link Options#whenMapIsFull()}. */
    public LanewayBuilder<K, V> whenMapIsFull(WhenMapIsFull whenMapIsFull) {
        return options(options.withWhenMapIsFull(whenMapIsFull));
    }

    /** Where partitions without a committed offset start. See {@link Options#startPosition()}. */
    public LanewayBuilder<K, V> startAt(StartPosition startPosition) {
        return options(options.withStartPosition(startPosition));
    }

    /** Adds one who hears what the consumer does, such as metrics. See {@link Options#observers()}. */
    public LanewayBuilder<K, V> observer(LanewayObserver.Factory observer) {
        Checks.given("observer", observer);
        return observers(
                Stream.concat(options.observers().stream(), Stream.of(observer)).toList());
    }

    /** All who hear what the consumer does. See {@link Options#observers()}. */
    public LanewayBuilder<K, V> observers(List<LanewayObserver.Factory> observers) {
        return options(options.withObservers(observers));
    }

    /** Whether the end of the process closes the consumer. See {@link Options#closeOnShutdown()}. */
    public LanewayBuilder<K, V> closeOnShutdown(boolean closeOnShutdown) {
        return options(options.withCloseOnShutdown(closeOnShutdown));
    }

    /** Starts, with a handler that returns when the record is done. */
    public Laneway process(RecordHandler<K, V> handler) {
        return start(new HandlerSpec.Plain<>(keys, values, handler));
    }

    /** Starts, with a handler that returns the outcome of the record. */
    public Laneway process(OutcomeHandler<K, V> handler) {
        return start(new HandlerSpec.Each<>(keys, values, handler, false));
    }

    /** Starts, with a handler that completes a stage and holds no thread. */
    public Laneway processAsync(AsyncHandler<K, V> handler) {
        return start(new HandlerSpec.Async<>(keys, values, handler));
    }

    /**
     * Starts, with a handler of batches.
     *
     * @param size the most records of a batch
     * @param linger how long a batch that is not full waits for more
     */
    public Laneway processBatch(int size, Duration linger, BatchHandler<K, V> handler) {
        Checks.atLeast("batch.size", size, 1);
        if (linger.isNegative()) {
            throw new ConfigurationException("batch.linger", linger, "must not be negative", "zero waits for nothing");
        }
        return start(new HandlerSpec.Batch<>(keys, values, size, linger, handler));
    }

    /**
     * Starts, with a handler that returns records to send; at-least-once, or {@link #exactlyOnce}. The serialisers must
     * be thread-safe.
     */
    public <K2, V2> Laneway transform(
            Serializer<K2> keySerializer, Serializer<V2> valueSerializer, TransformHandler<K, V, K2, V2> handler) {
        return start(HandlerSpec.transform(keys, values, keySerializer, valueSerializer, handler));
    }

    private Laneway start(HandlerSpec handling) {
        if (subscription == null) {
            throw new ConfigurationException(
                    "subscription", "missing", "must be given", "call subscribe(topics) or assign(partitions)");
        }
        Supplier<Laneway> launch = launch(subscription, handling);
        if (!started.compareAndSet(false, true)) {
            throw new ConfigurationException(
                    "process",
                    "called twice",
                    "a description starts one consumer",
                    "call Laneway.consumer again, or consumers(n) for several members");
        }
        return launch.get();
    }

    private Supplier<Laneway> launch(TopicSelection read, HandlerSpec handling) {
        LaunchSettings settings = new LaunchSettings(kafkaConfig, producerConfig, options, read, producers, handling);
        if (shares) {
            return new ShareLaunch(settings, shareClients, listener != null)::start;
        }
        RebalanceListener told = listener == null ? new RebalanceListener() {} : listener;
        return new ConsumerLaunch(settings, clients, told)::start;
    }
}
