package dev.laneway.engine.handle;

import dev.laneway.engine.track.Chunk;
import dev.laneway.engine.track.KeptChunks;
import dev.laneway.engine.track.TrackLedger;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** What was fetched for a stream and nobody has taken, chunk by chunk. Guarded by the feed's guard. */
final class FetchedRecords {
    private final TrackLedger ledger;
    private final boolean counts;
    private final Deque<Chunk> chunks = new ArrayDeque<>();
    /** Where the first chunk goes on. */
    private int index;
    /** What was taken ends here. */
    private long cursor;
    /** What was fetched ends here. */
    private long next;

    /** @param counts whether runs count what has begun */
    FetchedRecords(TrackLedger ledger, long start, boolean counts) {
        this.counts = counts;
        this.ledger = ledger;
        this.cursor = start;
        this.next = start;
    }

    /** Everything below it was taken. */
    long cursor() {
        return cursor;
    }

    boolean isEmpty() {
        return chunks.isEmpty();
    }

    /** The offset of the next record to take; -1 when there is none. */
    long first() {
        Chunk head = chunks.peek();
        return head == null ? -1 : head.records.get(index).offset();
    }

    /** What was fetched goes on at this offset. */
    void fetchedTo(long offset) {
        next = offset;
    }

    /** The log has no records between those that are here and what comes next. */
    void skip() {
        if (chunks.isEmpty()) {
            cursor = next;
        }
    }

    void add(Chunk chunk) {
        ledger.fetched(chunk);
        chunks.add(chunk);
    }

    /** The next records; those that one chunk has, and no more than asked for. */
    @Nullable
    RecordSlice peek(long most) {
        Chunk head = chunks.peek();
        return head == null
                ? null
                : new RecordSlice(head.records, index, index + (int) Math.min(most, head.size - index), counts);
    }

    /**
     * Takes what {@link #peek} has shown.
     *
     * @param acknowledged whether the records are undone until they are acknowledged; else they are done
     */
    void take(RecordSlice run, boolean acknowledged) {
        Chunk head = chunks.element();
        ledger.delivered(head, run.from(), run.to(), acknowledged);
        if (run.to() < head.size) {
            index = run.to();
            cursor = head.records.get(index).offset();
        } else {
            chunks.remove();
            index = 0;
            Chunk following = chunks.peek();
            cursor = following == null ? next : following.records.getFirst().offset();
        }
    }

    /** Records from this offset on, which were taken, were not delivered. */
    void returnTo(long offset) {
        cursor = offset;
    }

    /**
     * A run that is being delivered begins no further record. Where progress is committed ahead, what has begun of it
     * counts as done and what has not is the next owner's.
     */
    void seal(RecordSlice run) {
        int unbegun = counts ? run.seal() : -1;
        if (unbegun >= 0 && unbegun < run.to()) {
            cursor = run.records().get(unbegun).offset();
        }
    }

    void clear() {
        chunks.clear();
        index = 0;
    }

    /**
     * Drops the last records, so that at most this much is kept.
     *
     * @return where the log must be read again from; -1 when nothing was dropped
     */
    long giveBack(long keepRecords, long keepBytes) {
        KeptChunks kept = KeptChunks.of(chunks, index, keepRecords, keepBytes);
        if (kept == null) {
            return -1;
        }
        long held = chunks.stream().mapToLong(chunk -> chunk.bytesLeft).sum();
        ledger.givenBack(ledger.records() - kept.records(), held - kept.bytes());
        chunks.clear();
        chunks.addAll(kept.chunks());
        index = 0;
        next = kept.from();
        return next;
    }
}
