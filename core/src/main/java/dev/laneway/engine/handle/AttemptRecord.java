package dev.laneway.engine.handle;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.utils.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * A record as one attempt sees it, where a deserialiser hands out the array that it was given. Whatever the handler
 * writes to it stays in the attempt: the next one, and the dead letter, have the record's own. Copied when it is first
 * looked at, since a handler may look at the key alone, or at neither. As thread-safe as a {@link ConsumerRecord}:
 * whoever learns of a change by the rules of Java's memory sees the copy that was changed; two who look at once may
 * have a copy each, as the record was.
 */
@SuppressWarnings("UnusedVariable") // Fields are read through their handles.
final class AttemptRecord<K, V> extends ConsumerRecord<K, V> {
    private static final VarHandle KEY;
    private static final VarHandle VALUE;
    private static final VarHandle HEADERS;

    static {
        try {
            MethodHandles.Lookup own = MethodHandles.lookup();
            KEY = own.findVarHandle(AttemptRecord.class, "ownKey", Object.class);
            VALUE = own.findVarHandle(AttemptRecord.class, "ownValue", Object.class);
            HEADERS = own.findVarHandle(AttemptRecord.class, "ownHeaders", Headers.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    /** What may be handed out; null until it is first looked at. Reached through {@link #KEY} and so on. */
    private @Nullable Object ownKey;

    private @Nullable Object ownValue;
    private @Nullable Headers ownHeaders;

    /**
     * A view of a record.
     *
     * @param raw where everything else is from
     * @param keyBytes the array that the key may be, or be a view of
     * @param valueBytes the array that the value may be, or be a view of
     */
    AttemptRecord(
            ConsumerRecord<?, ?> raw,
            K key,
            byte @Nullable [] keyBytes,
            V value,
            byte @Nullable [] valueBytes,
            Headers headers) {
        super(
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
        ownKey = isView(key, keyBytes) ? null : key;
        ownValue = isView(value, valueBytes) ? null : value;
        ownHeaders = headers instanceof AttemptHeaders ? headers : null;
    }

    @Override
    public K key() {
        return own(KEY, super.key());
    }

    @Override
    public V value() {
        return own(VALUE, super.value());
    }

    @Override
    public Headers headers() {
        Headers own = (Headers) HEADERS.getAcquire(this);
        if (own == null) {
            own = new AttemptHeaders(super.headers());
            HEADERS.setRelease(this, own);
        }
        return own;
    }

    @SuppressWarnings({"unchecked", "NullAway"}) // A copy has its original's type; null stays null.
    private <T> T own(VarHandle handle, T original) {
        Object own = handle.getAcquire(this);
        if (own == null && original != null) {
            own = copy(original);
            handle.setRelease(this, own);
        }
        return (T) own;
    }

    /** Whether what was read is the array, or a view of it that this can copy: not whether it is equal. */
    @SuppressWarnings({"ReferenceEquality", "ByteBufferBackingArray"})
    static boolean isView(@Nullable Object read, byte @Nullable [] bytes) {
        return read != null
                && (read == bytes
                        || (read instanceof ByteBuffer buffer && buffer.hasArray() && buffer.array() == bytes)
                        || (read.getClass() == Bytes.class && ((Bytes) read).get() == bytes));
    }

    @SuppressWarnings("ByteBufferBackingArray") // It has one, see isView.
    private static Object copy(Object view) {
        return switch (view) {
            case byte[] array -> array.clone();
            case Bytes bytes -> Bytes.wrap(bytes.get().clone());
            case ByteBuffer buffer ->
                ByteBuffer.wrap(buffer.array().clone(), buffer.arrayOffset(), buffer.capacity())
                        .slice()
                        .order(buffer.order())
                        .position(buffer.position())
                        .limit(buffer.limit());
            default -> throw new IllegalStateException("no view of bytes: " + view.getClass());
        };
    }
}
