package dev.laneway.engine.track;

import dev.laneway.LaneKey;
import dev.laneway.LaneKeyException;
import dev.laneway.LanewayException;
import dev.laneway.NotBefore;
import dev.laneway.NotBeforeException;
import dev.laneway.Options;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.jspecify.annotations.Nullable;

/**
 * A fetched record with what else is known of it while it is held: the key of its lane, where the user has chosen
 * another one than the record's own, and the time before which it must not be handled. All else is as it was fetched.
 * Immutable.
 */
public final class HeldRecord extends ConsumerRecord<byte[], byte[]> {
    /** The time of a record that need not wait. */
    static final long AT_ONCE = 0;

    private final byte @Nullable [] laneKey;
    /** In milliseconds since 1970. */
    private final long notBefore;
    /** Why the lane key or the time is not known; null where they are. */
    private final @Nullable LanewayException failure;

    private HeldRecord(
            ConsumerRecord<byte[], byte[]> fetched,
            byte @Nullable [] laneKey,
            long notBefore,
            @Nullable LanewayException failure) {
        super(
                fetched.topic(),
                fetched.partition(),
                fetched.offset(),
                fetched.timestamp(),
                fetched.timestampType(),
                fetched.serializedKeySize(),
                fetched.serializedValueSize(),
                fetched.key(),
                fetched.value(),
                fetched.headers(),
                fetched.leaderEpoch(),
                fetched.deliveryCount());
        this.laneKey = laneKey;
        this.notBefore = notBefore;
        this.failure = failure;
    }

    /**
     * Finds the lane key and the time of each record. User code runs: never under a guard.
     *
     * @param options say how; where they do not, records are not wrapped
     * @param nowMillis records whose time has come need not wait for it
     */
    public static List<ConsumerRecord<byte[], byte[]>> hold(
            List<ConsumerRecord<byte[], byte[]>> fetched, Options options, LongSupplier nowMillis) {
        LaneKey laneKey = options.laneKey();
        NotBefore notBefore = options.notBefore();
        if (laneKey == null && notBefore == null) {
            return fetched;
        }
        long now = nowMillis.getAsLong();
        List<ConsumerRecord<byte[], byte[]>> held = new ArrayList<>(fetched.size());
        for (ConsumerRecord<byte[], byte[]> record : fetched) {
            held.add(hold(record, laneKey, notBefore, now));
        }
        return held;
    }

    private static ConsumerRecord<byte[], byte[]> hold(
            ConsumerRecord<byte[], byte[]> record, @Nullable LaneKey laneKey, @Nullable NotBefore notBefore, long now) {
        byte[] key = record.key();
        // Errors too: one record must not end the thread that polls. The failure policy decides.
        try {
            key = laneKey == null ? key : laneKey.extractor().extract(record);
        } catch (Throwable failure) {
            return new HeldRecord(record, null, AT_ONCE, new LaneKeyException(name(record), failure));
        }
        long time = AT_ONCE;
        try {
            Instant instant = notBefore == null ? null : notBefore.time().of(record);
            time = instant == null ? AT_ONCE : instant.toEpochMilli();
        } catch (Throwable failure) {
            return new HeldRecord(record, key, AT_ONCE, new NotBeforeException(name(record), failure));
        }
        boolean waits = time > now;
        return laneKey == null && !waits ? record : new HeldRecord(record, key, waits ? time : AT_ONCE, null);
    }

    private static String name(ConsumerRecord<byte[], byte[]> record) {
        return record.topic() + "-" + record.partition() + "@" + record.offset();
    }

    /** The same without its value and headers, which the log has. */
    static HeldRecord bare(ConsumerRecord<byte[], byte[]> record) {
        ConsumerRecord<byte[], byte[]> bare = new ConsumerRecord<>(
                record.topic(),
                record.partition(),
                record.offset(),
                record.timestamp(),
                record.timestampType(),
                record.serializedKeySize(),
                NULL_SIZE,
                record.key(),
                null,
                new RecordHeaders(),
                record.leaderEpoch(),
                record.deliveryCount());
        return new HeldRecord(bare, laneKey(record), notBefore(record), null);
    }

    /** The key by which a record has its lane. */
    public static byte @Nullable [] laneKey(ConsumerRecord<byte[], byte[]> record) {
        return record instanceof HeldRecord held ? held.laneKey : record.key();
    }

    /** From when on a record may be handled, in milliseconds since 1970; {@link #AT_ONCE} where that is over. */
    static long notBefore(ConsumerRecord<byte[], byte[]> record) {
        return record instanceof HeldRecord held ? held.notBefore : AT_ONCE;
    }

    /**
     * Lets a record pass of which all is known.
     *
     * @throws LaneKeyException if its lane key was not found
     * @throws NotBeforeException if its time was not found
     */
    public static void requireKnown(ConsumerRecord<byte[], byte[]> record) {
        if (record instanceof HeldRecord held && held.failure != null) {
            throw held.failure;
        }
    }
}
