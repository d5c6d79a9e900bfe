package dev.laneway.engine.track;

import dev.laneway.engine.offsets.KeyHash;
import dev.laneway.engine.offsets.SpilledKey;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * The end of a lane that stands in the log alone: its records are read again when the lane has come to them. Everything
 * is guarded by the track's guard.
 */
public abstract class SpilledTail {
    /** A lane with fewer records than this behind the one that runs wants more. */
    static final int LOW = 16;

    /** Of the lane's key, as commits list it. */
    final long hash;
    /** No record of the key from this offset on was ever started. */
    long from = Long.MAX_VALUE;
    /** From where on its records are to be read again. */
    long readFrom;
    /** Of its last record before that, or at that offset. */
    long timestamp;
    /** So many records that were read again may wait in the lane. */
    int room = LOW;
    /** How many of them are known not to be held. */
    long records;
    /** Whether the lane needs more of them soon. */
    boolean isWanted;
    /** Whether the pass over the log went on without it. */
    boolean isLeft;
    /** Whether it had no room for a record of what is being read. */
    boolean isFull;

    /** Whether the lane holds all of them, and what the cursor will meet. */
    private boolean isLive;

    SpilledTail(long hash) {
        this.hash = hash;
    }

    /** The records that wait in the lane. */
    abstract Iterable<ConsumerRecord<byte[], byte[]>> followers();

    boolean isLive() {
        return isLive;
    }

    /** All that lies before the cursor is held. */
    void live() {
        isLive = true;
        isWanted = false;
    }

    /** All that waits in the lane behind its first few records is told by its key, and held. */
    void listHeld(int without) {
        int i = 0;
        for (ConsumerRecord<byte[], byte[]> follower : followers()) {
            if (i++ >= without) {
                from = Math.min(from, follower.offset());
                isReadFrom(follower, follower.offset() + 1);
            }
        }
        live();
    }

    /** The lane's last record that was held is held no more. */
    void dropped(ConsumerRecord<byte[], byte[]> last) {
        from = Math.min(from, last.offset());
        isReadFrom(last, last.offset());
        records++;
        isLive = false;
    }

    /** From this offset on, which is that of the record or the next one, its records are to be read again. */
    void isReadFrom(ConsumerRecord<byte[], byte[]> record, long offset) {
        readFrom = offset;
        timestamp = record.timestamp();
    }

    /** Whether commits tell a record of the key by its key, not by its offset. */
    boolean lists(long offset) {
        return offset >= from;
    }

    /** Whether a record that waits in the lane is one of those. Before them may be some that were in a batch. */
    boolean listsFollower() {
        for (ConsumerRecord<byte[], byte[]> follower : followers()) {
            if (lists(follower.offset())) {
                return true;
            }
        }
        return false;
    }

    /** Visits those of the records that wait in the lane. */
    void forEachListed(Consumer<ConsumerRecord<byte[], byte[]>> visitor) {
        for (ConsumerRecord<byte[], byte[]> follower : followers()) {
            if (lists(follower.offset())) {
                visitor.accept(follower);
            }
        }
    }

    SpilledKey key() {
        return new SpilledKey(hash, from);
    }

    /** The first record that is not held. */
    UndoneRecord oldestInLog() {
        return new UndoneRecord(readFrom, KeyHash.text(hash), timestamp);
    }
}
