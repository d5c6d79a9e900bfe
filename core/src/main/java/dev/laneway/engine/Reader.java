package dev.laneway.engine;

import dev.laneway.RecordDeserializationException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.Deserializer;
import org.jspecify.annotations.Nullable;

/**
 * Turns the bytes of a record into the user's types, on the worker or where the stream is delivered. A failure is the
 * record's, not the poll's. Thread-safe if the deserialisers are.
 */
public final class Reader<K, V> {
    private final Deserializer<K> keys;
    private final Deserializer<V> values;
    private final boolean identity;

    /** Reads with these. */
    public Reader(Deserializer<K> keys, Deserializer<V> values) {
        this.keys = keys;
        this.values = values;
        this.identity =
                keys.getClass() == ByteArrayDeserializer.class && values.getClass() == ByteArrayDeserializer.class;
    }

    /** The record in the user's types; throws a {@link RecordDeserializationException} when it has none. */
    @SuppressWarnings("unchecked") // Both deserialisers are the identity on bytes, so K and V are byte[].
    public ConsumerRecord<K, V> read(ConsumerRecord<byte[], byte[]> raw) {
        if (identity) {
            return (ConsumerRecord<K, V>) (ConsumerRecord<?, ?>) raw;
        }
        return new ConsumerRecord<>(
                raw.topic(),
                raw.partition(),
                raw.offset(),
                raw.timestamp(),
                raw.timestampType(),
                raw.serializedKeySize(),
                raw.serializedValueSize(),
                part(keys, raw, raw.key(), true),
                part(values, raw, raw.value(), false),
                raw.headers(),
                raw.leaderEpoch(),
                raw.deliveryCount());
    }

    @SuppressWarnings("NullAway") // A null key or value is null in the user's types too, as in Kafka's own consumer.
    private static <T> T part(
            Deserializer<T> deserializer, ConsumerRecord<byte[], byte[]> raw, byte @Nullable [] bytes, boolean key) {
        if (bytes == null) {
            return null;
        }
        try {
            return deserializer.deserialize(raw.topic(), raw.headers(), bytes);
        } catch (Throwable failure) {
            throw new RecordDeserializationException(
                    raw.topic() + "-" + raw.partition() + "@" + raw.offset(), key, failure);
        }
    }
}
