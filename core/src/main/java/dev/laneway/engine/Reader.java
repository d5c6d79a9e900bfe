package dev.laneway.engine;

import dev.laneway.RecordDeserializationException;
import java.nio.ByteBuffer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.utils.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * Turns the bytes of a record into the user's types, on the worker or where the stream is delivered. A failure is the
 * record's, not the poll's. Thread-safe if the deserialisers are.
 */
public final class Reader<K, V> {
    private final Deserializer<K> keys;
    private final Deserializer<V> values;
    private final boolean identity;
    /** Null where a record is read once and nobody needs it any more. */
    private final @Nullable UnreadableRecords unreadable;

    /** Reads with these what is needed but once: the record may share its arrays and headers with what is read. */
    public Reader(Deserializer<K> keys, Deserializer<V> values) {
        this(keys, values, null);
    }

    /**
     * Reads with these for handlers: whatever they do to a record, the next attempt and the dead letter have it as it
     * was.
     */
    Reader(Deserializer<K> keys, Deserializer<V> values, @Nullable UnreadableRecords unreadable) {
        this.keys = keys;
        this.values = values;
        this.unreadable = unreadable;
        this.identity = unreadable == null
                && keys.getClass() == ByteArrayDeserializer.class
                && values.getClass() == ByteArrayDeserializer.class;
    }

    /** The record in the user's types; throws a {@link RecordDeserializationException} when it has none. */
    @SuppressWarnings("unchecked") // Both deserialisers are the identity on bytes, so K and V are byte[].
    public ConsumerRecord<K, V> read(ConsumerRecord<byte[], byte[]> raw) {
        if (identity) {
            return (ConsumerRecord<K, V>) (ConsumerRecord<?, ?>) raw;
        }
        Headers headers = unreadable == null ? raw.headers() : new OwnHeaders(raw.headers());
        K key = part(keys, raw, headers, raw.key(), true);
        V value = part(values, raw, headers, raw.value(), false);
        if (unreadable != null) {
            unreadable.read(raw.topic());
        }
        return new ConsumerRecord<>(
                raw.topic(),
                raw.partition(),
                raw.offset(),
                raw.timestamp(),
                raw.timestampType(),
                raw.serializedKeySize(),
                raw.serializedValueSize(),
                key,
                value,
                headers,
                raw.leaderEpoch(),
                raw.deliveryCount());
    }

    @SuppressWarnings("NullAway") // A null key or value is null in the user's types too, as in Kafka's own consumer.
    private <T> T part(
            Deserializer<T> deserializer,
            ConsumerRecord<byte[], byte[]> raw,
            Headers headers,
            byte @Nullable [] bytes,
            boolean key) {
        if (bytes == null) {
            return null;
        }
        try {
            T read = deserializer.deserialize(raw.topic(), headers, bytes);
            // Only where it hands out the record's own array, which a handler may write to.
            return unreadable != null && isSame(read, bytes)
                    ? deserializer.deserialize(raw.topic(), headers, bytes.clone())
                    : read;
        } catch (Throwable failure) {
            throw new RecordDeserializationException(
                    raw.topic() + "-" + raw.partition() + "@" + raw.offset(), key, failure);
        }
    }

    /** Whether what was read is the array, or a view of it: not whether it is equal. */
    @SuppressWarnings({"ReferenceEquality", "ByteBufferBackingArray"})
    private static boolean isSame(@Nullable Object read, byte[] bytes) {
        return read == bytes
                || (read instanceof ByteBuffer buffer && buffer.hasArray() && buffer.array() == bytes)
                || (read instanceof Bytes wrapped && wrapped.get() == bytes);
    }
}
