package dev.laneway.engine.track;

import dev.laneway.engine.offsets.SpilledKey;
import dev.laneway.engine.offsets.SpilledKeys;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * What a track asks of whoever leaves the records of its busy lanes to the log. The track calls it under its guard, but
 * where the comment says otherwise.
 */
public interface LaneSpill {
    /** Leaves nothing to the log. */
    LaneSpill NONE = new LaneSpill() {};

    /** What commits list beside the offsets that are undone. */
    default SpilledKeys keys() {
        return SpilledKeys.NONE;
    }

    /**
     * The cursor has come to this offset. False where it must not pass it yet: what follows may have a key that an
     * earlier owner has spilled, and no record has told which one that is.
     */
    default boolean mayPass(long offset) {
        return true;
    }

    /** From this offset on, what an earlier owner has done counts no more. */
    default void restoredEndsAt(long offset) {}

    /** A lane goes on with one of its followers. */
    default void starts(SpilledTail tail, ConsumerRecord<byte[], byte[]> next) {}

    /** A lane has fewer followers than before. */
    default void shrinks(SpilledTail tail) {}

    /** How many records are known that stand in the log alone. */
    default long count() {
        return 0;
    }

    /** The key that is listed from the lowest offset on; null where there is none. */
    default @Nullable SpilledKey oldestKey() {
        return null;
    }

    /** The lowest of them; null where there is none. Without the guard. */
    default @Nullable UndoneRecord oldestInLog() {
        return null;
    }

    /**
     * Asks for what lanes wait with that is dropped and soon due; returns when there is more to be asked for, in
     * milliseconds since 1970, {@link Long#MAX_VALUE} for never. Without the guard.
     */
    default long readAgain(long nowMillis) {
        return Long.MAX_VALUE;
    }

    /** Where an earlier owner has spilled records, they are looked for. Without the guard. */
    default void begin() {}

    /** What was read of the partition was written under this leader at the latest. Without the guard. */
    default void isOfLeader(int epoch) {}

    /**
     * Drops records from the ends of lanes, the longest first, until the track holds no more than this many, or nothing
     * is left that may be dropped. Without the guard.
     *
     * @param mapLimit the most characters of a commit's metadata: keys are listed in a part of that
     * @return how many records are held no more
     */
    default long spill(long most, int mapLimit) {
        return 0;
    }

    /**
     * Once a second: lists the keys of lanes that lie far behind the cursor, so that a new owner need not read what
     * lies between their records. Without the guard.
     *
     * @param mapLimit as for {@link #spill}
     */
    default void listFar(int mapLimit) {}

    /** Whether the latest {@link #spill} let lanes hold records since a commit could not list their keys. The owner. */
    default boolean lacksMapRoom() {
        return false;
    }

    /** Keys with records that stand in the log alone. Without the guard. */
    default int spilledKeys() {
        return 0;
    }

    /** How many such records are known; an earlier owner may have left more. Without the guard. */
    default long records() {
        return 0;
    }
}
