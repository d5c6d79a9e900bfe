package dev.laneway.engine.track;

import dev.laneway.engine.offsets.DecodedMetadata;
import dev.laneway.engine.offsets.Progress;
import dev.laneway.engine.runtime.Guard;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * What the owner does with the records of one assignment of one partition, whoever takes them: workers from a
 * {@link Track}, a subscriber from a {@code StreamFeed}. Thread-safe.
 */
public abstract class AssignedRecords {
    public final TopicPartition partition;
    /** Counts the assignments of the member. */
    public final long epoch;

    public final TrackLedger ledger;
    /** Guards this and all that belongs to it: the ledger, the outputs, the lanes. */
    public final Guard guard = new Guard();
    /** What its done records emit and no transaction has written yet. */
    public final PendingOutputs outputs = new PendingOutputs(this);

    /** Whether nobody waits for what is in flight. */
    public volatile boolean abandoned;

    /** What an earlier owner has done beyond the cursor. Guarded. */
    public DecodedMetadata.@Nullable Map restored;

    public AssignedRecords(
            TopicPartition partition, long epoch, TrackLedger ledger, DecodedMetadata.@Nullable Map restored) {
        this.partition = partition;
        this.epoch = epoch;
        this.ledger = ledger;
        this.restored = restored;
    }

    /** The owner has taken the partition in, and will fetch. */
    public void placed() {}

    /** An earlier owner has committed this beside the offset. */
    public void found(String metadata) {}

    /** Adds what a poll returned; the log goes on at {@code next}. */
    public abstract void append(Chunk chunk, long next);

    /**
     * The log goes on at this offset: what lies before it and was never returned (markers, compacted records) is done.
     */
    public abstract void skipTo(long position);

    /** Whether an earlier owner has done the next record, which is at this offset. With the guard. */
    final boolean wasDone(long offset) {
        if (restored != null && offset >= restored.cursor()) {
            restored = null;
        }
        return restored != null && restored.isDone(offset);
    }

    /** From this offset on, what an earlier owner has done counts no more. */
    void restoredEndsAt(long offset) {
        try (var _ = guard.enter()) {
            restored = restored == null ? null : restored.before(offset);
        }
    }

    /** Records up to this one have lingered long enough to form a batch that is not full. */
    public void ripen(long upTo) {}

    /** Wakes the owner when no more than this many records are held. */
    public final void signalBelow(long records) {
        try (var _ = guard.enter()) {
            ledger.signalBelow(records);
        }
    }

    /** Whether whoever takes the records has asked for more and found none. Any thread. */
    public boolean wantsMore() {
        return false;
    }

    /** Wakes the owner as soon as {@link #wantsMore}. */
    public void signalWhenMoreIsWanted() {}

    /** Whether nobody will ever take a record again, though the partition stays. Any thread. */
    public boolean isCancelled() {
        return false;
    }

    /**
     * Drops the last of the records that nobody has taken, so that at most this much is kept.
     *
     * @return where the log must be read again from; -1 when nothing was dropped
     */
    public long giveBack(long keepRecords, long keepBytes) {
        return -1;
    }

    /** Starts no further record until {@link #resume}. */
    public abstract void pause();

    /** Ends {@link #pause}. */
    public abstract void resume();

    /** Starts nothing as long as an earlier assignment of the partition still has work in flight. */
    public void block(boolean predecessorBusy) {}

    /** Starts no further record, for good. What is in flight goes on and counts. */
    public abstract void close();

    /**
     * Nothing that is in flight comes to its end any more, since the stream that it went into has failed: nobody is to
     * wait for it. What is done counts. Any thread.
     */
    public final void abandon() {
        abandoned = true;
        signalBelow(Long.MAX_VALUE);
    }

    /**
     * Gives up what is in flight: it is interrupted, and whatever comes of it is late. Returns how many records that
     * were.
     */
    public final int drop() {
        int inFlight = giveUp();
        outputs.clear(); // Tells whoever waits for them, so under no guard.
        return inFlight;
    }

    /** As {@link #drop}, but for what waits for a transaction. */
    public abstract int giveUp();

    /** Whether it was dropped. With the guard. */
    public abstract boolean isDropped();

    /** How much is in flight: records whose handler runs, or that the stream has and has not acknowledged. */
    public abstract int busy();

    /** What may be committed. */
    public abstract Progress progress(int metadataLimit);

    /** Whether taking this many more records could make the map of done records larger than commit metadata may be. */
    public abstract boolean mapIsNearLimit(int records, int limit);
}
