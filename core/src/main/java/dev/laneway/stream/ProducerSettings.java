package dev.laneway.stream;

import dev.laneway.Backoff;
import dev.laneway.ConfigurationException;
import dev.laneway.FailurePolicy;
import dev.laneway.engine.config.ClientProperties;
import dev.laneway.engine.config.RecordCopy;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.random.RandomGenerator;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.Serializer;
import org.jspecify.annotations.Nullable;

/**
 * How {@link KafkaSink} sends. Immutable; docs/streams.md explains the defaults.
 *
 * <p>The sink serialises keys and values, so that it knows their size before it sends them; the producer, its
 * partitioner and its interceptors see bytes only.
 *
 * @param kafkaConfig Kafka's own properties, as for a {@code KafkaProducer}; empty when a producer is given
 * @param keySerializer called by one thread at a time in each sink; must be thread-safe if several sinks share it
 * @param valueSerializer as the key's
 * @param producer a producer of the caller's, who closes it; null, the default: each sink makes and closes its own
 * @param maxInFlightRecords the most records in flight; 65,536. As many more may be held that are acknowledged and wait
 *     for an earlier one or for demand
 * @param maxInFlightBytes the most bytes of keys, values and headers in flight; 16 MiB, half of the producer's own
 *     {@code buffer.memory}. As many more may be held
 * @param onFailure what happens to an element that cannot be sent: the stream stops, the element is skipped, or it is
 *     sent again if Kafka calls the failure retriable; {@link FailurePolicy#stop()}. An element is skipped only if the
 *     record itself is at fault (too large, invalid topic, serialisation): a policy that skips waits for a broker that
 *     is away. If a record is sent again, all later records of its key are sent again after it
 * @param closeLimit how long closing the sink's own producer may wait for records in flight, if the stream has failed
 *     or was cancelled; 30 s
 */
public record ProducerSettings<K, V>(
        Map<String, Object> kafkaConfig,
        Serializer<K> keySerializer,
        Serializer<V> valueSerializer,
        @Nullable Producer<byte[], byte[]> producer,
        int maxInFlightRecords,
        long maxInFlightBytes,
        FailurePolicy onFailure,
        Duration closeLimit) {
    private static final int MAX_IN_FLIGHT_RECORDS = 65_536;
    private static final long MAX_IN_FLIGHT_BYTES = 16L << 20;
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(30);
    /** The delay between two attempts if the policy has none. */
    private static final Backoff BACKOFF = Backoff.exponential(Duration.ofMillis(100), Duration.ofSeconds(10));

    private static final Duration LONGEST = Duration.ofDays(36_500);

    /**
     * Copies the configuration and checks every value.
     *
     * @throws ConfigurationException if a value is not allowed
     */
    public ProducerSettings {
        kafkaConfig = Map.copyOf(kafkaConfig);
        Objects.requireNonNull(keySerializer, "keySerializer");
        Objects.requireNonNull(valueSerializer, "valueSerializer");
        Objects.requireNonNull(onFailure, "onFailure");
        Objects.requireNonNull(closeLimit, "closeLimit");
        if (producer == null) {
            check(kafkaConfig);
        } else if (!kafkaConfig.isEmpty()) {
            throw new ConfigurationException(
                    "kafkaConfig",
                    kafkaConfig.keySet(),
                    "must be empty when a producer is given",
                    "give the properties to that producer");
        }
        if (maxInFlightRecords < 1) {
            throw new ConfigurationException(
                    "maxInFlightRecords", maxInFlightRecords, "must be at least 1", "1 sends one after the other");
        }
        if (maxInFlightBytes < 1) {
            throw new ConfigurationException(
                    "maxInFlightBytes", maxInFlightBytes, "must be at least 1", "a larger record passes alone");
        }
        if (onFailure.deadLetters()) {
            throw new ConfigurationException(
                    "onFailure",
                    onFailure,
                    "must not dead-letter, since a sink has no second topic",
                    "choose skip() and lead the failed results of KafkaSink.flow wherever you like");
        }
        if (closeLimit.isNegative() || closeLimit.compareTo(LONGEST) > 0) {
            throw new ConfigurationException(
                    "closeLimit", closeLimit, "must be from zero to " + LONGEST, "zero waits for nothing");
        }
    }

    /** Each sink makes its own producer, by Kafka's properties. */
    public static <K, V> ProducerSettings<K, V> of(
            Map<String, ?> kafkaConfig, Serializer<K> keySerializer, Serializer<V> valueSerializer) {
        return of(new HashMap<>(kafkaConfig), keySerializer, valueSerializer, null);
    }

    /** With a producer of the caller's, which may be shared and which no sink closes. */
    public static <K, V> ProducerSettings<K, V> of(
            Producer<byte[], byte[]> producer, Serializer<K> keySerializer, Serializer<V> valueSerializer) {
        return of(Map.of(), keySerializer, valueSerializer, producer);
    }

    private static <K, V> ProducerSettings<K, V> of(
            Map<String, Object> kafkaConfig,
            Serializer<K> keySerializer,
            Serializer<V> valueSerializer,
            @Nullable Producer<byte[], byte[]> producer) {
        return new ProducerSettings<>(
                kafkaConfig,
                keySerializer,
                valueSerializer,
                producer,
                MAX_IN_FLIGHT_RECORDS,
                MAX_IN_FLIGHT_BYTES,
                FailurePolicy.stop(),
                CLOSE_LIMIT);
    }

    /** The same with another property of Kafka's, or another value of it. */
    public ProducerSettings<K, V> withProperty(String name, Object value) {
        Map<String, Object> more = new HashMap<>(kafkaConfig);
        more.put(name, value);
        return RecordCopy.with(this, "kafkaConfig", more);
    }

    /** The same with another budget of records in flight. */
    public ProducerSettings<K, V> withMaxInFlightRecords(int newMaxInFlightRecords) {
        return RecordCopy.with(this, "maxInFlightRecords", newMaxInFlightRecords);
    }

    /** The same with another budget of bytes in flight. */
    public ProducerSettings<K, V> withMaxInFlightBytes(long newMaxInFlightBytes) {
        return RecordCopy.with(this, "maxInFlightBytes", newMaxInFlightBytes);
    }

    /** The same with another policy for elements that cannot be sent. */
    public ProducerSettings<K, V> withOnFailure(FailurePolicy newOnFailure) {
        return RecordCopy.with(this, "onFailure", newOnFailure);
    }

    /** The same with another limit for closing the producer. */
    public ProducerSettings<K, V> withCloseLimit(Duration newCloseLimit) {
        return RecordCopy.with(this, "closeLimit", newCloseLimit);
    }

    private static void check(Map<String, Object> config) {
        Object servers = config.get(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG);
        if (servers == null || servers.toString().isBlank()) {
            throw new ConfigurationException(
                    ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                    servers == null ? "missing" : "blank",
                    "the producer must find its brokers",
                    "give host:port");
        }
        ClientProperties.refuseSlips(config);
        ClientProperties.refuseLongSleep(config);
        refuseSerializer(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, config, "ProducerSettings.of");
        refuseSerializer(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, config, "ProducerSettings.of");
        if ("0".equals(String.valueOf(config.get(ProducerConfig.ACKS_CONFIG)))) {
            throw new ConfigurationException(
                    ProducerConfig.ACKS_CONFIG,
                    0,
                    "what no broker acknowledges cannot be confirmed",
                    "remove the property");
        }
        Object transactionalId = config.get(ProducerConfig.TRANSACTIONAL_ID_CONFIG);
        if (transactionalId != null) {
            throw new ConfigurationException(
                    ProducerConfig.TRANSACTIONAL_ID_CONFIG,
                    transactionalId,
                    "these sinks do not open transactions",
                    "remove the property, or use KafkaSink.transactional");
        }
    }

    static void refuseSerializer(String name, Map<String, Object> config, String settings) {
        Object value = config.get(name);
        if (value != null
                && value != ByteArraySerializer.class
                && !value.toString().equals(ByteArraySerializer.class.getName())) {
            throw new ConfigurationException(
                    name,
                    value,
                    "records are serialised by the sink",
                    "remove the property and give the serialiser to " + settings);
        }
    }

    /** The producer to send with. */
    Producer<byte[], byte[]> open() {
        if (producer != null) {
            return producer;
        }
        Map<String, Object> properties = new HashMap<>(kafkaConfig);
        properties.putIfAbsent(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, "true");
        return new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer());
    }

    /**
     * A new producer of the sink's own, after one was given up.
     *
     * @param loader the class loader for Kafka, which uses that of the thread; this may be a timer's thread
     */
    Producer<byte[], byte[]> reopen(Producer<byte[], byte[]> before, @Nullable ClassLoader loader) {
        close(before); // It has ended; this waits for its thread.
        Thread thread = Thread.currentThread();
        ClassLoader own = thread.getContextClassLoader();
        thread.setContextClassLoader(loader);
        try {
            return open();
        } finally {
            thread.setContextClassLoader(own);
        }
    }

    /** Closes what {@link #open} has made. May block until records in flight are answered. */
    void close(Producer<byte[], byte[]> opened) {
        if (producer == null) {
            opened.close(closeLimit);
        }
    }

    /** How often a record is sent. A policy that skips still retries what cannot be sent at the moment. */
    int attempts(Exception cause) {
        FailurePolicy applies = onFailure.forFailure(cause);
        return applies.last() instanceof FailurePolicy.Last.Skip ? Integer.MAX_VALUE : applies.maxAttempts();
    }

    /** The delay after this number of failures. */
    Duration pause(Exception cause, int failures, RandomGenerator random) {
        return onFailure.forFailure(cause).backoff().orElse(BACKOFF).delay(failures, random);
    }

    /** The record in bytes. */
    ProducerRecord<byte[], byte[]> serialize(ProducerRecord<K, V> record) {
        return serialize(keySerializer, valueSerializer, record);
    }

    /** The record in bytes. */
    @SuppressWarnings({"unchecked", "rawtypes"}) // With serialisers of bytes, K and V are bytes.
    static <K, V> ProducerRecord<byte[], byte[]> serialize(
            Serializer<K> keySerializer, Serializer<V> valueSerializer, ProducerRecord<K, V> record) {
        if (keySerializer.getClass() == ByteArraySerializer.class
                && valueSerializer.getClass() == ByteArraySerializer.class) {
            return (ProducerRecord) record;
        }
        byte[] key = keySerializer.serialize(record.topic(), record.headers(), record.key());
        byte[] value = valueSerializer.serialize(record.topic(), record.headers(), record.value());
        return new ProducerRecord<>(
                record.topic(), record.partition(), record.timestamp(), key, value, record.headers());
    }

    /** The bytes of key, value and headers. */
    static long bytes(ProducerRecord<byte[], byte[]> record) {
        long bytes = length(record.key()) + length(record.value());
        for (Header header : record.headers()) {
            bytes += header.key().length() + length(header.value());
        }
        return bytes;
    }

    private static long length(byte @Nullable [] bytes) {
        return bytes == null ? 0 : bytes.length;
    }
}
