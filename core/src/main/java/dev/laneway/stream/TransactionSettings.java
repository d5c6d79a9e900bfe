package dev.laneway.stream;

import dev.laneway.CommitMode;
import dev.laneway.ConfigurationException;
import dev.laneway.FailurePolicy;
import dev.laneway.engine.config.ClientProperties;
import dev.laneway.engine.config.RecordCopy;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.Serializer;
import org.jspecify.annotations.Nullable;

/**
 * How {@link KafkaSource#transactional} and {@link KafkaSink#transactional} write exactly once; give both the same
 * value. Immutable; docs/streams.md explains the defaults.
 *
 * @param transactionalId names the transactions of this process. It must differ between processes and should be the
 *     same after a restart. Producers append their numbers to it
 * @param keySerializer called by one thread at a time in each sink; must be thread-safe if several sinks share it
 * @param valueSerializer as the key's
 * @param kafkaConfig Kafka's own properties for the producers, in addition to the consumer's connection properties; by
 *     default none
 * @param clients makes the producers, which Laneway closes; null, the default: Laneway makes them by the properties.
 *     Each must have its own {@code transactional.id}
 * @param interval the time between two transactions of a producer, if no batch is full before; 100 ms
 * @param maxBatch the number of envelopes that are committed without waiting for the interval; as many again may wait;
 *     10,000
 * @param maxBytes how many bytes of keys, values and headers may wait for their commit before upstream waits; 16 MiB,
 *     half of the producer's own {@code buffer.memory}
 * @param producers how many transactions are written at once, of different partitions; 1
 * @param onFailure what happens to an envelope that the broker refuses permanently, or that cannot be serialised: the
 *     stream stops, or it is skipped and its record acknowledged; {@link FailurePolicy#stop()}
 */
public record TransactionSettings<K, V>(
        String transactionalId,
        Serializer<K> keySerializer,
        Serializer<V> valueSerializer,
        Map<String, Object> kafkaConfig,
        @Nullable Supplier<? extends Producer<byte[], byte[]>> clients,
        Duration interval,
        int maxBatch,
        long maxBytes,
        int producers,
        FailurePolicy onFailure) {
    private static final int MAX_BATCH = 10_000;
    private static final long MAX_BYTES = 16L << 20;

    /**
     * Copies the configuration and checks every value.
     *
     * @throws ConfigurationException if a value is not allowed
     */
    public TransactionSettings {
        Objects.requireNonNull(keySerializer, "keySerializer");
        Objects.requireNonNull(valueSerializer, "valueSerializer");
        Objects.requireNonNull(onFailure, "onFailure");
        kafkaConfig = Map.copyOf(kafkaConfig);
        ProducerSettings.refuseSerializer(
                ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, kafkaConfig, "TransactionSettings.of");
        ProducerSettings.refuseSerializer(
                ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, kafkaConfig, "TransactionSettings.of");
        ClientProperties.refuseLongSleep(kafkaConfig);
        if (clients != null && !kafkaConfig.isEmpty()) {
            throw new ConfigurationException(
                    "kafkaConfig",
                    kafkaConfig.keySet(),
                    "must be empty when producers are given",
                    "give the properties to those producers");
        }
        Object otherId = kafkaConfig.get(ProducerConfig.TRANSACTIONAL_ID_CONFIG);
        if (otherId != null) {
            throw new ConfigurationException(
                    ProducerConfig.TRANSACTIONAL_ID_CONFIG,
                    otherId,
                    "each producer gets one of its own",
                    "remove the property and give the id to TransactionSettings.of");
        }
        var _ = new CommitMode.ExactlyOnce(transactionalId, interval, producers);
        if (maxBatch < 1) {
            throw new ConfigurationException("maxBatch", maxBatch, "must be at least 1", "1 commits each by itself");
        }
        if (maxBytes < 1) {
            throw new ConfigurationException(
                    "maxBytes", maxBytes, "must be at least 1", "a larger envelope passes alone");
        }
        if (onFailure.deadLetters()) {
            throw new ConfigurationException(
                    "onFailure",
                    onFailure,
                    "must not dead-letter, since a stream does not keep the record",
                    "choose stop() or skip(), or put a dead letter into an envelope yourself");
        }
    }

    /** The defaults. */
    public static <K, V> TransactionSettings<K, V> of(
            String transactionalId, Serializer<K> keySerializer, Serializer<V> valueSerializer) {
        CommitMode.ExactlyOnce defaults = CommitMode.exactlyOnce(transactionalId);
        return new TransactionSettings<>(
                transactionalId,
                keySerializer,
                valueSerializer,
                Map.of(),
                null,
                defaults.interval(),
                MAX_BATCH,
                MAX_BYTES,
                defaults.producers(),
                FailurePolicy.stop());
    }

    /** The same with another property of Kafka's for the producers, or another value of it. */
    public TransactionSettings<K, V> withProperty(String property, Object value) {
        Map<String, Object> more = new HashMap<>(kafkaConfig);
        more.put(property, value);
        return RecordCopy.with(this, "kafkaConfig", more);
    }

    /** The same with producers of the caller's; Laneway closes them. */
    public TransactionSettings<K, V> withClients(Supplier<? extends Producer<byte[], byte[]>> newClients) {
        return RecordCopy.with(this, "clients", newClients);
    }

    /** The same with another time between two transactions of a producer. */
    public TransactionSettings<K, V> withInterval(Duration newInterval) {
        return RecordCopy.with(this, "interval", newInterval);
    }

    /** The same with another size of batches that are committed before the interval has passed. */
    public TransactionSettings<K, V> withMaxBatch(int newMaxBatch) {
        return RecordCopy.with(this, "maxBatch", newMaxBatch);
    }

    /** The same with another budget of bytes that wait for their commit. */
    public TransactionSettings<K, V> withMaxBytes(long newMaxBytes) {
        return RecordCopy.with(this, "maxBytes", newMaxBytes);
    }

    /** The same with more producers, if one transaction after another is not enough. */
    public TransactionSettings<K, V> withProducers(int newProducers) {
        return RecordCopy.with(this, "producers", newProducers);
    }

    /** The same with another policy for what cannot be written. */
    public TransactionSettings<K, V> withOnFailure(FailurePolicy newOnFailure) {
        return RecordCopy.with(this, "onFailure", newOnFailure);
    }

    /** How the source's consumer commits. */
    CommitMode commitMode() {
        return new CommitMode.ExactlyOnce(transactionalId, interval, producers);
    }

    /** Without the values of Kafka's properties, since they include passwords. */
    @Override
    public String toString() {
        return "TransactionSettings[transactionalId=" + transactionalId + ", kafkaConfig=" + kafkaConfig.keySet() + "]";
    }
}
