package dev.laneway.stream;

import dev.laneway.CommitMode;
import dev.laneway.ConfigurationException;
import dev.laneway.LanewayObserver;
import dev.laneway.Limits;
import dev.laneway.MetadataPolicy;
import dev.laneway.Options;
import dev.laneway.RebalanceListener;
import dev.laneway.StartCheck;
import dev.laneway.engine.ConsumerLaunch;
import dev.laneway.engine.LaunchSettings;
import dev.laneway.engine.config.RecordCopy;
import dev.laneway.engine.handle.HandlerSpec;
import dev.laneway.engine.handle.StreamReader;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.Deserializer;
import org.jspecify.annotations.Nullable;

/**
 * How {@link KafkaSource} reads. Immutable; docs/streams.md explains the defaults. Values are checked here,
 * combinations when a source is made.
 *
 * @param kafkaConfig Kafka's own properties, as for a {@code KafkaConsumer}; {@code group.id} is required
 * @param keyDeserializer reads keys on the delivering thread; a source of partitions calls it on several threads at
 *     once
 * @param valueDeserializer as the key's; for exceptions see {@code onUnreadable}
 * @param clients makes the consumer, which Laneway closes; null, the default: Laneway makes one by the properties. If
 *     it is given, the properties and the client must have {@code enable.auto.commit=false}
 * @param name the name in threads and logs; "laneway-stream"
 * @param bufferRecords the reserve: records that are fetched and not yet requested. Each partition has an equal share,
 *     and may hold one poll more. 0, the default: 20,000
 * @param bufferBytes as {@code bufferRecords}, in bytes of keys and values; 64 MiB
 * @param limits the limits of time that consumers with handlers have, too; {@link Limits#DEFAULTS}
 * @param startCheck what happens if no broker answers or a topic is missing when the stream is subscribed to;
 *     {@link StartCheck#WAIT}
 * @param commitInterval how often what is acknowledged is committed, without transactions; a requested commit restarts
 *     the interval. Null: only on request, and when partitions are given up. 1 s
 * @param onUnreadable what happens if the bytes of a record are wrong; if the deserialiser fails for a reason that may
 *     pass, as when a schema registry is away, the partition waits; {@link Unreadable#FAIL}
 * @param metadata what is done with commit metadata of other programs; {@link MetadataPolicy#READ}
 * @param rebalanceListener hears of changes of the assignment; by default none
 * @param observers who hears what the stream's consumer does, for metrics and logs; nobody
 * @param closeOnShutdown whether the end of the process (SIGTERM, SIGINT, exit) stops the stream; true
 */
public record ConsumerSettings<K, V>(
        Map<String, Object> kafkaConfig,
        Deserializer<K> keyDeserializer,
        Deserializer<V> valueDeserializer,
        @Nullable Supplier<? extends Consumer<byte[], byte[]>> clients,
        String name,
        int bufferRecords,
        long bufferBytes,
        Limits limits,
        StartCheck startCheck,
        @Nullable Duration commitInterval,
        Unreadable onUnreadable,
        MetadataPolicy metadata,
        RebalanceListener rebalanceListener,
        List<LanewayObserver.Factory> observers,
        boolean closeOnShutdown) {

    /** Copies the configuration and checks every value by itself. */
    public ConsumerSettings {
        kafkaConfig = Map.copyOf(kafkaConfig);
        Objects.requireNonNull(keyDeserializer, "keyDeserializer");
        Objects.requireNonNull(valueDeserializer, "valueDeserializer");
        Objects.requireNonNull(onUnreadable, "onUnreadable");
        Objects.requireNonNull(rebalanceListener, "rebalanceListener");
        Objects.requireNonNull(observers, "observers");
        observers = List.copyOf(observers);
        refuseDeserializer(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, kafkaConfig);
        refuseDeserializer(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, kafkaConfig);
        var _ = options(name, bufferRecords, bufferBytes, limits, startCheck, metadata); // It checks them.
        if (commitInterval != null) {
            var _ = CommitMode.async(commitInterval); // It checks the interval.
        }
    }

    /** The defaults. */
    public static <K, V> ConsumerSettings<K, V> of(
            Map<String, ?> kafkaConfig, Deserializer<K> keyDeserializer, Deserializer<V> valueDeserializer) {
        return new ConsumerSettings<>(
                new HashMap<>(kafkaConfig),
                keyDeserializer,
                valueDeserializer,
                null,
                "laneway-stream",
                0,
                Options.DEFAULTS.bufferBytes(),
                Limits.DEFAULTS,
                Options.DEFAULTS.startCheck(),
                Duration.ofSeconds(1),
                Unreadable.FAIL,
                Options.DEFAULTS.metadata(),
                new RebalanceListener() {},
                List.of(),
                true);
    }

    /** The same with another property of Kafka's, or another value of it. */
    public ConsumerSettings<K, V> withProperty(String property, Object value) {
        Map<String, Object> more = new HashMap<>(kafkaConfig);
        more.put(property, value);
        return RecordCopy.with(this, "kafkaConfig", more);
    }

    /** The same with consumers of the caller's; Laneway closes them. */
    public ConsumerSettings<K, V> withClients(Supplier<? extends Consumer<byte[], byte[]>> newClients) {
        return RecordCopy.with(this, "clients", newClients);
    }

    /** The same with another name. */
    public ConsumerSettings<K, V> withName(String newName) {
        return RecordCopy.with(this, "name", newName);
    }

    /** The same with another reserve of records. */
    public ConsumerSettings<K, V> withBufferRecords(int newBufferRecords) {
        return RecordCopy.with(this, "bufferRecords", newBufferRecords);
    }

    /** The same with another reserve of bytes. */
    public ConsumerSettings<K, V> withBufferBytes(long newBufferBytes) {
        return RecordCopy.with(this, "bufferBytes", newBufferBytes);
    }

    /** The same with other limits. */
    public ConsumerSettings<K, V> withLimits(Limits newLimits) {
        return RecordCopy.with(this, "limits", newLimits);
    }

    /** The same with another drain limit; null for the default. */
    public ConsumerSettings<K, V> withDrainLimit(@Nullable Duration newDrainLimit) {
        return withLimits(limits.withDrainLimit(newDrainLimit));
    }

    /** The same with another close limit. */
    public ConsumerSettings<K, V> withCloseLimit(Duration newCloseLimit) {
        return withLimits(limits.withCloseLimit(newCloseLimit));
    }

    /** The same with another stall limit. */
    public ConsumerSettings<K, V> withStallLimit(Duration newStallLimit) {
        return withLimits(limits.withStallLimit(newStallLimit));
    }

    /** The same with another stuck limit. */
    public ConsumerSettings<K, V> withStuckLimit(Duration newStuckLimit) {
        return withLimits(limits.withStuckLimit(newStuckLimit));
    }

    /** The same with another health limit. */
    public ConsumerSettings<K, V> withHealthLimit(Duration newHealthLimit) {
        return withLimits(limits.withHealthLimit(newHealthLimit));
    }

    /** The same with another check of brokers and topics when the stream is subscribed to. */
    public ConsumerSettings<K, V> withStartCheck(StartCheck newStartCheck) {
        return RecordCopy.with(this, "startCheck", newStartCheck);
    }

    /** The same with another rule for records whose bytes are wrong. */
    public ConsumerSettings<K, V> withOnUnreadable(Unreadable newOnUnreadable) {
        return RecordCopy.with(this, "onUnreadable", newOnUnreadable);
    }

    /** The same with another broker limit. */
    public ConsumerSettings<K, V> withBrokerLimit(Duration newBrokerLimit) {
        return withLimits(limits.withBrokerLimit(newBrokerLimit));
    }

    /** The same with another interval at which unchanged progress is committed again. */
    public ConsumerSettings<K, V> withCommitRefresh(Duration newCommitRefresh) {
        return withLimits(limits.withCommitRefresh(newCommitRefresh));
    }

    /** The same with another time for which authentication and authorisation errors are retried. */
    public ConsumerSettings<K, V> withRetryAuthorization(Duration newRetryAuthorization) {
        return withLimits(limits.withRetryAuthorization(newRetryAuthorization));
    }

    /** The same with another interval at which what is acknowledged is committed. */
    public ConsumerSettings<K, V> withCommitInterval(Duration newCommitInterval) {
        Objects.requireNonNull(newCommitInterval, "commitInterval");
        return RecordCopy.with(this, "commitInterval", newCommitInterval);
    }

    /**
     * The same without timed commits: only {@code commit()} and a {@link Committer} commit, and the end of an
     * assignment does.
     */
    public ConsumerSettings<K, V> withCommitsByHand() {
        return RecordCopy.with(this, "commitInterval", null);
    }

    /** The same with another policy for commit metadata of other programs. */
    public ConsumerSettings<K, V> withMetadata(MetadataPolicy newMetadata) {
        return RecordCopy.with(this, "metadata", newMetadata);
    }

    /** The same with another rebalance listener. */
    public ConsumerSettings<K, V> withRebalanceListener(RebalanceListener newRebalanceListener) {
        return RecordCopy.with(this, "rebalanceListener", newRebalanceListener);
    }

    /** The same with other observers. */
    public ConsumerSettings<K, V> withObservers(List<LanewayObserver.Factory> newObservers) {
        return RecordCopy.with(this, "observers", newObservers);
    }

    /** The same; whether the end of the process stops the stream. */
    public ConsumerSettings<K, V> withCloseOnShutdown(boolean newCloseOnShutdown) {
        return RecordCopy.with(this, "closeOnShutdown", newCloseOnShutdown);
    }

    StreamReader<K, V> reader(RandomGenerator random) {
        return new StreamReader<>(keyDeserializer, valueDeserializer, onUnreadable == Unreadable.SKIP, random);
    }

    private static void refuseDeserializer(String property, Map<String, Object> config) {
        Object value = config.get(property);
        if (value != null
                && value != ByteArrayDeserializer.class
                && !value.toString().equals(ByteArrayDeserializer.class.getName())) {
            throw new ConfigurationException(
                    property,
                    value,
                    "records are deserialised where the stream is delivered",
                    "remove the property and give the deserialiser to ConsumerSettings.of");
        }
    }

    /** What a stream's consumer is started with, when it is subscribed to. */
    ConsumerLaunch launch(Subscription subscription, HandlerSpec.Streaming streaming) {
        return launch(subscription, streaming, null);
    }

    /** The same of a stream whose commits are transactions, if they are given. */
    ConsumerLaunch launch(
            Subscription subscription,
            HandlerSpec.Streaming streaming,
            @Nullable TransactionSettings<?, ?> transactions) {
        CommitMode plain = streaming.kind() == HandlerSpec.Streaming.Kind.AT_MOST_ONCE
                ? CommitMode.ahead()
                : Options.DEFAULTS.commit();
        Options options = options(name, bufferRecords, bufferBytes, limits, startCheck, metadata)
                .withCommit(transactions == null ? plain : transactions.commitMode())
                .withFailurePolicy(transactions == null ? Options.DEFAULTS.failurePolicy() : transactions.onFailure())
                .withStartPosition(subscription.start())
                .withObservers(observers)
                .withCloseOnShutdown(closeOnShutdown);
        LaunchSettings settings = new LaunchSettings(
                kafkaConfig,
                transactions == null ? Map.of() : transactions.kafkaConfig(),
                options,
                subscription.reads(),
                transactions == null ? null : transactions.clients(),
                streaming.committedEvery(commitInterval));
        return new ConsumerLaunch(settings, clients, rebalanceListener);
    }

    /** The engine's options. Those without a setting do not apply to streams. */
    private static Options options(
            String name,
            int bufferRecords,
            long bufferBytes,
            Limits limits,
            StartCheck startCheck,
            MetadataPolicy metadata) {
        return Options.DEFAULTS
                .withName(name)
                .withBufferRecords(bufferRecords)
                .withBufferBytes(bufferBytes)
                .withLimits(limits)
                .withStartCheck(startCheck)
                .withMetadata(metadata);
    }

    /** Without the values of Kafka's properties, since they include passwords. */
    @Override
    public String toString() {
        return "ConsumerSettings[name=" + name + ", kafkaConfig=" + kafkaConfig.keySet() + "]";
    }
}
