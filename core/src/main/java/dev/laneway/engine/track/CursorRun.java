package dev.laneway.engine.track;

import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * One worker's run along a track's cursor, from the claim of the cursor until the worker leaves it or loses it.
 * Confined to its worker, but for {@link #lane}.
 */
public final class CursorRun implements Work {
    public final Track track;
    /** The thread of the worker. */
    final Thread thread;
    /**
     * The lane that the record was made when the cursor was taken; null as long as the run has the cursor. Guarded by
     * the track's guard.
     */
    public @Nullable Lane lane;

    private List<ConsumerRecord<byte[], byte[]>> records = List.of();
    private int index;

    CursorRun(Track track, Thread thread) {
        this.track = track;
        this.thread = thread;
    }

    /** The run's record is this one from now on. With the guard. */
    void moveTo(Chunk chunk, int at) {
        records = chunk.records;
        index = at;
    }

    public ConsumerRecord<byte[], byte[]> record() {
        return records.get(index);
    }

    /** The record's position in its chunk. */
    int index() {
        return index;
    }

    /**
     * The hot path: the record is done, and the next one of the chunk, which is returned, is the run's. Null when
     * {@link Track#finish} must say what comes next. The worker keeps the record: to note it here would be a barrier of
     * the collector for each.
     *
     * @param done the run's record
     */
    public @Nullable ConsumerRecord<byte[], byte[]> glide(ConsumerRecord<byte[], byte[]> done) {
        int next = index + 1;
        if (next == records.size()) {
            return null;
        }
        ConsumerRecord<byte[], byte[]> following = records.get(next);
        if (!track.glide(done.offset(), following.offset())) {
            return null;
        }
        index = next;
        return following;
    }
}
