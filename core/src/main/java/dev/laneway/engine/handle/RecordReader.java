package dev.laneway.engine.handle;

import dev.laneway.RecordDeserializationException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.Deserializer;
import org.jspecify.annotations.Nullable;

/**
 * Turns the bytes of a record into the user's types, on the worker or where the stream is delivered. A failure is the
 * record's, not the poll's. Thread-safe if the deserialisers are.
 */
public final class RecordReader<K, V> {
    private final Deserializer<K> keys;
    private final Deserializer<V> values;
    private final boolean identity;
    /** Null where a record is read once and nobody needs it any more. */
    private final @Nullable UnreadableRecords unreadable;

    /** Reads with these what is needed but once: the record may share its arrays and headers with what is read. */
    public RecordReader(Deserializer<K> keys, Deserializer<V> values) {
        this(keys, values, null);
    }

    /**
     * Reads with these for handlers: whatever they do to a record, the next attempt and the dead letter have it as it
     * was.
     */
    RecordReader(Deserializer<K> keys, Deserializer<V> values, @Nullable UnreadableRecords unreadable) {
        this.keys = keys;
        this.values = values;
        this.unreadable = unreadable;
        this.identity =
                keys.getClass() == ByteArrayDeserializer.class && values.getClass() == ByteArrayDeserializer.class;
    }

    /**
     * The record in the user's types.
     *
     * @throws RecordDeserializationException when it has none
     */
    @SuppressWarnings("unchecked") // Both deserialisers are the identity on bytes, so K and V are byte[].
    public ConsumerRecord<K, V> read(ConsumerRecord<byte[], byte[]> raw) {
        UnreadableRecords row = unreadable;
        if (row == null) {
            return identity ? (ConsumerRecord<K, V>) (ConsumerRecord<?, ?>) raw : readOnce(raw);
        }
        ConsumerRecord<K, V> read = identity
                ? new AttemptRecord<>((ConsumerRecord<K, V>) (ConsumerRecord<?, ?>) raw, raw)
                : readForHandler(raw);
        row.read(raw.topic());
        return read;
    }

    private ConsumerRecord<K, V> readOnce(ConsumerRecord<byte[], byte[]> raw) {
        Headers headers = raw.headers();
        return record(
                raw,
                part(keys, raw, headers, raw.key(), true),
                part(values, raw, headers, raw.value(), false),
                headers);
    }

    private ConsumerRecord<K, V> readForHandler(ConsumerRecord<byte[], byte[]> raw) {
        Headers headers = new AttemptHeaders(raw.headers());
        K key = part(keys, raw, headers, raw.key(), true);
        V value = part(values, raw, headers, raw.value(), false);
        ConsumerRecord<K, V> read = record(raw, key, value, headers);
        // Only where one hands out the record's own array, which a handler may write to.
        return AttemptRecord.isView(key, raw.key()) || AttemptRecord.isView(value, raw.value())
                ? new AttemptRecord<>(read, raw)
                : read;
    }

    private static <K, V> ConsumerRecord<K, V> record(ConsumerRecord<?, ?> raw, K key, V value, Headers headers) {
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
    private static <T> T part(
            Deserializer<T> deserializer,
            ConsumerRecord<byte[], byte[]> raw,
            Headers headers,
            byte @Nullable [] bytes,
            boolean key) {
        if (bytes == null) {
            return null;
        }
        try {
            return deserializer.deserialize(raw.topic(), headers, bytes);
        } catch (Throwable failure) {
            throw new RecordDeserializationException(
                    raw.topic() + "-" + raw.partition() + "@" + raw.offset(), key, failure);
        }
    }
}
