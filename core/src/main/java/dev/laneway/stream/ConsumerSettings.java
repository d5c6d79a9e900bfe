package dev.laneway.stream;

import dev.laneway.CommitMode;
import dev.laneway.ConfigurationException;
import dev.laneway.FailurePolicy;
import dev.laneway.MetadataPolicy;
import dev.laneway.Options;
import dev.laneway.RebalanceListener;
import dev.laneway.StartCheck;
import dev.laneway.StartPosition;
import dev.laneway.engine.ConsumerLaunch;
import dev.laneway.engine.LaunchSettings;
import dev.laneway.engine.handle.HandlerSpec;
import dev.laneway.engine.handle.StreamReader;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
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
 * @param drainLimit how long a rebalance waits until delivered records of a revoked partition are acknowledged; null,
 *     the default: 10 s or a third of {@code max.poll.interval.ms}, whichever is shorter
 * @param closeLimit how long the consumer waits for acknowledgements after the stream has ended, was stopped or
 *     cancelled; 30 s
 * @param stallLimit the age at which a record that is not acknowledged, or not requested, makes the health DOWN and is
 *     logged; at most {@code max.poll.interval.ms}; 5 min
 * @param healthLimit how soon health names what keeps records from flowing; 10 s
 * @param startCheck what happens if no broker answers or a topic is missing when the stream is subscribed to;
 *     {@link StartCheck#WAIT}
 * @param brokerLimit how long the consumer waits for a broker that does not answer, where it has to wait; 1 min
 * @param commitRefresh how often unchanged progress is committed again, so that brokers do not forget it; far below
 *     their {@code offsets.retention.minutes}; 10 min
 * @param retryAuthorization how long authentication and authorisation errors are retried before they fail the stream;
 *     zero, the default: at once
 * @param commitInterval how often what is acknowledged is committed, without transactions; a requested commit restarts
 *     the interval. Null: only on request, and when partitions are given up. 1 s
 * @param onUnreadable what happens if the bytes of a record are wrong; if the deserialiser fails for a reason that may
 *     pass, as when a schema registry is away, the partition waits; {@link Unreadable#FAIL}
 * @param metadata what is done with commit metadata of other programs; {@link MetadataPolicy#READ}
 * @param rebalanceListener hears of changes of the assignment; by default none
 * @param closeOnShutdown whether the end of the process (SIGTERM, SIGINT, exit) stops the stream; true
 */
public record ConsumerSettings<K, V>(
        Map<String, Object> kafkaConfig,
        Deserializer<K> keyDeserializer,
        Deserializer<V> valueDeserializer,
        @Nullable Supplier<? extends org.apache.kafka.clients.consumer.Consumer<byte[], byte[]>> clients,
        String name,
        int bufferRecords,
        long bufferBytes,
        @Nullable Duration drainLimit,
        Duration closeLimit,
        Duration stallLimit,
        Duration healthLimit,
        StartCheck startCheck,
        Duration brokerLimit,
        Duration commitRefresh,
        Duration retryAuthorization,
        @Nullable Duration commitInterval,
        Unreadable onUnreadable,
        MetadataPolicy metadata,
        RebalanceListener rebalanceListener,
        boolean closeOnShutdown) {

    /** Copies the configuration and checks every value by itself. */
    public ConsumerSettings {
        kafkaConfig = Map.copyOf(kafkaConfig);
        Objects.requireNonNull(keyDeserializer, "keyDeserializer");
        Objects.requireNonNull(valueDeserializer, "valueDeserializer");
        Objects.requireNonNull(onUnreadable, "onUnreadable");
        Objects.requireNonNull(rebalanceListener, "rebalanceListener");
        refuseDeserializer(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, kafkaConfig);
        refuseDeserializer(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, kafkaConfig);
        var _ = options(
                name,
                bufferRecords,
                bufferBytes,
                drainLimit,
                closeLimit,
                stallLimit,
                healthLimit,
                startCheck,
                brokerLimit,
                commitRefresh,
                retryAuthorization,
                metadata,
                closeOnShutdown,
                commitInterval == null
                        ? CommitMode.DEFAULT
                        : CommitMode.async(commitInterval), // It checks the interval.
                Options.DEFAULTS.failurePolicy(),
                StartPosition.committed());
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
                null,
                Options.DEFAULTS.closeLimit(),
                Options.DEFAULTS.stallLimit(),
                Options.DEFAULTS.healthLimit(),
                Options.DEFAULTS.startCheck(),
                Options.DEFAULTS.brokerLimit(),
                Options.DEFAULTS.commitRefresh(),
                Options.DEFAULTS.retryAuthorization(),
                Duration.ofSeconds(1),
                Unreadable.FAIL,
                Options.DEFAULTS.metadata(),
                new RebalanceListener() {},
                true);
    }

    /** The same with another property of Kafka's, or another value of it. */
    public ConsumerSettings<K, V> withProperty(String property, Object value) {
        return with(draft -> draft.kafkaConfig.put(property, value));
    }

    /** The same with consumers of the caller's; Laneway closes them. */
    public ConsumerSettings<K, V> withClients(
            Supplier<? extends org.apache.kafka.clients.consumer.Consumer<byte[], byte[]>> newClients) {
        return with(draft -> draft.clients = newClients);
    }

    /** The same with another name. */
    public ConsumerSettings<K, V> withName(String newName) {
        return with(draft -> draft.name = newName);
    }

    /** The same with another reserve of records. */
    public ConsumerSettings<K, V> withBufferRecords(int newBufferRecords) {
        return with(draft -> draft.bufferRecords = newBufferRecords);
    }

    /** The same with another reserve of bytes. */
    public ConsumerSettings<K, V> withBufferBytes(long newBufferBytes) {
        return with(draft -> draft.bufferBytes = newBufferBytes);
    }

    /** The same with another drain limit. */
    public ConsumerSettings<K, V> withDrainLimit(Duration newDrainLimit) {
        return with(draft -> draft.drainLimit = newDrainLimit);
    }

    /** The same with another close limit. */
    public ConsumerSettings<K, V> withCloseLimit(Duration newCloseLimit) {
        return with(draft -> draft.closeLimit = newCloseLimit);
    }

    /** The same with another stall limit. */
    public ConsumerSettings<K, V> withStallLimit(Duration newStallLimit) {
        return with(draft -> draft.stallLimit = newStallLimit);
    }

    /** The same with another health limit. */
    public ConsumerSettings<K, V> withHealthLimit(Duration newHealthLimit) {
        return with(draft -> draft.healthLimit = newHealthLimit);
    }

    /** The same with another check of brokers and topics when the stream is subscribed to. */
    public ConsumerSettings<K, V> withStartCheck(StartCheck newStartCheck) {
        return with(draft -> draft.startCheck = newStartCheck);
    }

    /** The same with another rule for records whose bytes are wrong. */
    public ConsumerSettings<K, V> withOnUnreadable(Unreadable newOnUnreadable) {
        return with(draft -> draft.onUnreadable = newOnUnreadable);
    }

    /** The same with another broker limit. */
    public ConsumerSettings<K, V> withBrokerLimit(Duration newBrokerLimit) {
        return with(draft -> draft.brokerLimit = newBrokerLimit);
    }

    /** The same with another interval at which unchanged progress is committed again. */
    public ConsumerSettings<K, V> withCommitRefresh(Duration newCommitRefresh) {
        return with(draft -> draft.commitRefresh = newCommitRefresh);
    }

    /** The same with another time for which authentication and authorisation errors are retried. */
    public ConsumerSettings<K, V> withRetryAuthorization(Duration newRetryAuthorization) {
        return with(draft -> draft.retryAuthorization = newRetryAuthorization);
    }

    /** The same with another interval at which what is acknowledged is committed. */
    public ConsumerSettings<K, V> withCommitInterval(Duration newCommitInterval) {
        Objects.requireNonNull(newCommitInterval, "newCommitInterval");
        return with(draft -> draft.commitInterval = newCommitInterval);
    }

    /**
     * The same without timed commits: only {@code commit()} and a {@link Committer} commit, and the end of an
     * assignment does.
     */
    public ConsumerSettings<K, V> withCommitsByHand() {
        return with(draft -> draft.commitInterval = null);
    }

    /** The same with another policy for commit metadata of other programs. */
    public ConsumerSettings<K, V> withMetadata(MetadataPolicy newMetadata) {
        return with(draft -> draft.metadata = newMetadata);
    }

    /** The same with another rebalance listener. */
    public ConsumerSettings<K, V> withRebalanceListener(RebalanceListener newRebalanceListener) {
        return with(draft -> draft.rebalanceListener = newRebalanceListener);
    }

    /** The same; whether the end of the process stops the stream. */
    public ConsumerSettings<K, V> withCloseOnShutdown(boolean newCloseOnShutdown) {
        return with(draft -> draft.closeOnShutdown = newCloseOnShutdown);
    }

    private ConsumerSettings<K, V> with(Consumer<Draft<K, V>> change) {
        Draft<K, V> draft = new Draft<>(this);
        change.accept(draft);
        return draft.settings();
    }

    /** The settings while one of them is changed. */
    private static final class Draft<K, V> {
        private final ConsumerSettings<K, V> from;
        private final Map<String, Object> kafkaConfig;
        private @Nullable Supplier<? extends org.apache.kafka.clients.consumer.Consumer<byte[], byte[]>> clients;
        private String name;
        private int bufferRecords;
        private long bufferBytes;
        private @Nullable Duration drainLimit;
        private Duration closeLimit;
        private Duration stallLimit;
        private Duration healthLimit;
        private StartCheck startCheck;
        private Duration brokerLimit;
        private Duration commitRefresh;
        private Duration retryAuthorization;
        private @Nullable Duration commitInterval;
        private Unreadable onUnreadable;
        private MetadataPolicy metadata;
        private RebalanceListener rebalanceListener;
        private boolean closeOnShutdown;

        Draft(ConsumerSettings<K, V> from) {
            this.from = from;
            kafkaConfig = new HashMap<>(from.kafkaConfig);
            clients = from.clients;
            name = from.name;
            bufferRecords = from.bufferRecords;
            bufferBytes = from.bufferBytes;
            drainLimit = from.drainLimit;
            closeLimit = from.closeLimit;
            stallLimit = from.stallLimit;
            healthLimit = from.healthLimit;
            startCheck = from.startCheck;
            brokerLimit = from.brokerLimit;
            commitRefresh = from.commitRefresh;
            retryAuthorization = from.retryAuthorization;
            commitInterval = from.commitInterval;
            onUnreadable = from.onUnreadable;
            metadata = from.metadata;
            rebalanceListener = from.rebalanceListener;
            closeOnShutdown = from.closeOnShutdown;
        }

        ConsumerSettings<K, V> settings() {
            return new ConsumerSettings<>(
                    kafkaConfig,
                    from.keyDeserializer,
                    from.valueDeserializer,
                    clients,
                    name,
                    bufferRecords,
                    bufferBytes,
                    drainLimit,
                    closeLimit,
                    stallLimit,
                    healthLimit,
                    startCheck,
                    brokerLimit,
                    commitRefresh,
                    retryAuthorization,
                    commitInterval,
                    onUnreadable,
                    metadata,
                    rebalanceListener,
                    closeOnShutdown);
        }
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
        Options options = options(
                name,
                bufferRecords,
                bufferBytes,
                drainLimit,
                closeLimit,
                stallLimit,
                healthLimit,
                startCheck,
                brokerLimit,
                commitRefresh,
                retryAuthorization,
                metadata,
                closeOnShutdown,
                transactions == null ? plain : transactions.commitMode(),
                transactions == null ? Options.DEFAULTS.failurePolicy() : transactions.onFailure(),
                subscription.start());
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
            @Nullable Duration drainLimit,
            Duration closeLimit,
            Duration stallLimit,
            Duration healthLimit,
            StartCheck startCheck,
            Duration brokerLimit,
            Duration commitRefresh,
            Duration retryAuthorization,
            MetadataPolicy metadata,
            boolean closeOnShutdown,
            CommitMode commit,
            FailurePolicy onFailure,
            StartPosition start) {
        Options defaults = Options.DEFAULTS;
        return new Options(
                name,
                defaults.ordering(),
                defaults.concurrency(),
                1,
                bufferRecords,
                bufferBytes,
                null,
                onFailure,
                commit,
                commitRefresh,
                drainLimit,
                closeLimit,
                stallLimit,
                healthLimit,
                startCheck,
                brokerLimit,
                retryAuthorization,
                defaults.workers(),
                defaults.nullKeys(),
                metadata,
                start,
                closeOnShutdown);
    }

    /** Without the values of Kafka's properties, since they include passwords. */
    @Override
    public String toString() {
        return "ConsumerSettings[name=" + name + ", kafkaConfig=" + kafkaConfig.keySet() + "]";
    }
}
