package dev.laneway.engine.track;

import dev.laneway.LaneKey;
import dev.laneway.LaneKeyException;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * A fetched record with what else is known of it while it is held: the key of its lane, where the user has chosen
 * another one than the record's own. All else is as it was fetched. Immutable.
 */
public final class HeldRecord extends ConsumerRecord<byte[], byte[]> {
    private final byte @Nullable [] laneKey;
    /** Why the lane key is not known; null where it is. */
    private final @Nullable Throwable failure;

    private HeldRecord(ConsumerRecord<byte[], byte[]> fetched, byte @Nullable [] laneKey, @Nullable Throwable failure) {
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
        this.failure = failure;
    }

    /**
     * Finds the lane key of each record. User code runs: never under a guard.
     *
     * @param laneKey how; null where records have their own keys, and are not wrapped
     */
    public static List<ConsumerRecord<byte[], byte[]>> hold(
            List<ConsumerRecord<byte[], byte[]>> fetched, @Nullable LaneKey laneKey) {
        if (laneKey == null) {
            return fetched;
        }
        List<ConsumerRecord<byte[], byte[]>> held = new ArrayList<>(fetched.size());
        for (ConsumerRecord<byte[], byte[]> record : fetched) {
            held.add(hold(record, laneKey.extractor()));
        }
        return held;
    }

    private static HeldRecord hold(ConsumerRecord<byte[], byte[]> record, LaneKey.Extractor extractor) {
        try {
            return new HeldRecord(record, extractor.extract(record), null);
        } catch (Throwable failure) {
            // Errors too: one record must not end the thread that polls. The failure policy decides.
            return new HeldRecord(record, null, failure);
        }
    }

    /** The key by which a record has its lane. */
    public static byte @Nullable [] laneKey(ConsumerRecord<byte[], byte[]> record) {
        return record instanceof HeldRecord held ? held.laneKey : record.key();
    }

    /**
     * Lets a record pass whose lane is known.
     *
     * @throws LaneKeyException if its lane key was not found
     */
    public static void requireLaneKey(ConsumerRecord<byte[], byte[]> record) {
        if (record instanceof HeldRecord held && held.failure != null) {
            throw new LaneKeyException(record.topic() + "-" + record.partition() + "@" + record.offset(), held.failure);
        }
    }
}
