package dev.laneway.engine.handle;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
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

    /** Stands where the fields of a record would be, which this never reads. */
    private static final Headers NO_HEADERS = new RecordHeaders();

    /** What is handed out in place of a view; null until it is first looked at. Reached through {@link #KEY} etc. */
    private @Nullable Object ownKey;

    private @Nullable Object ownValue;
    private @Nullable Headers ownHeaders;

    /**
     * Sees a record. Reads nothing of it but what tells where it is: most handlers look at little more, and the rest
     * may not be in the processor's cache. Both are kept where the key and the value of another record are, since there
     * is one of these for each attempt, and two fields more are a tenth of it.
     *
     * @param read the record in the handler's types
     * @param raw the record as it was fetched, whose arrays and headers the one that was read may share
     */
    @SuppressWarnings("unchecked") // Nobody but this sees the inherited key and value.
    AttemptRecord(ConsumerRecord<K, V> read, ConsumerRecord<byte[], byte[]> raw) {
        super(
                raw.topic(),
                raw.partition(),
                raw.offset(),
                NO_TIMESTAMP,
                TimestampType.NO_TIMESTAMP_TYPE,
                NULL_SIZE,
                NULL_SIZE,
                (K) read,
                (V) raw,
                NO_HEADERS,
                Optional.empty(),
                Optional.empty());
    }

    /** The record in the handler's types. */
    @SuppressWarnings("unchecked")
    private ConsumerRecord<K, V> read() {
        return (ConsumerRecord<K, V>) super.key();
    }

    /** The record as it was fetched. */
    @SuppressWarnings("unchecked")
    private ConsumerRecord<byte[], byte[]> raw() {
        return (ConsumerRecord<byte[], byte[]>) super.value();
    }

    @Override
    public K key() {
        return own(KEY, read().key(), raw().key());
    }

    @Override
    public V value() {
        return own(VALUE, read().value(), raw().value());
    }

    @Override
    public Headers headers() {
        Headers own = (Headers) HEADERS.getAcquire(this);
        if (own == null) {
            Headers original = read().headers();
            own = original instanceof AttemptHeaders ? original : new AttemptHeaders(original);
            HEADERS.setRelease(this, own);
        }
        return own;
    }

    @Override
    public long timestamp() {
        return read().timestamp();
    }

    @Override
    public TimestampType timestampType() {
        return read().timestampType();
    }

    @Override
    public int serializedKeySize() {
        return read().serializedKeySize();
    }

    @Override
    public int serializedValueSize() {
        return read().serializedValueSize();
    }

    @Override
    public Optional<Integer> leaderEpoch() {
        return read().leaderEpoch();
    }

    @Override
    public Optional<Short> deliveryCount() {
        return read().deliveryCount();
    }

    @Override
    public String toString() {
        return read().toString();
    }

    /**
     * The copy is made by methods that do not see this record. So where a handler only looks, the JIT compiler need not
     * make one of these at all, whichever of the methods it puts into its caller.
     */
    @SuppressWarnings({"unchecked", "NullAway"}) // A copy has its original's type; null stays null.
    private <T> T own(VarHandle handle, T original, byte @Nullable [] bytes) {
        Object own = handle.getAcquire(this);
        if (own == null) {
            own = ownOf(original, bytes);
            handle.setRelease(this, own);
        }
        return (T) own;
    }

    /** The array's copy, or that of a view of it; else what was read. */
    @SuppressWarnings("ReferenceEquality") // Not whether it is equal.
    private static @Nullable Object ownOf(@Nullable Object read, byte @Nullable [] bytes) {
        if (read == bytes) {
            return bytes == null ? null : bytes.clone();
        }
        return read != null && isView(read, bytes) ? copy(read) : read;
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
