package dev.laneway.engine.track;

import java.util.ArrayDeque;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/** The records that lie at and ahead of a track's cursor, chunk by chunk. Guarded by the track's guard. */
final class ChunkQueue {
    private final TrackLedger ledger;
    private final ArrayDeque<Chunk> chunks = new ArrayDeque<>();
    /** Position in the first chunk: of the next record, or of the runner's when it last held the guard. */
    private int index;
    /** Where the log goes on after the last chunk. */
    private long end;

    ChunkQueue(TrackLedger ledger, long start) {
        this.ledger = ledger;
        this.end = start;
    }

    void append(Chunk chunk, long next) {
        chunks.addLast(chunk);
        ledger.fetched(chunk);
        end = next;
    }

    /** The log goes on at this offset, without records before it. False when that is known. */
    boolean skipTo(long position) {
        boolean news = position > end;
        end = Math.max(end, position);
        return news;
    }

    /** The chunk that holds the next record, null at the end; leaves those that have been passed. */
    @Nullable
    Chunk head() {
        Chunk chunk = chunks.peekFirst();
        while (chunk != null && index >= chunk.size) {
            chunks.removeFirst();
            ledger.passed(chunk);
            index = 0;
            chunk = chunks.peekFirst();
        }
        return chunk;
    }

    /** The chunk of the runner's record, or of the next one, which must be there. */
    Chunk current() {
        return chunks.getFirst();
    }

    int index() {
        return index;
    }

    ConsumerRecord<byte[], byte[]> record() {
        return current().records.get(index);
    }

    /** Moves to another record of the first chunk, or behind its last; returns how many that was. */
    int moveTo(int position) {
        int moved = position - index;
        index = position;
        return moved;
    }

    /** How many records lie between where it stands and a runner at this offset; 0 when there is none. */
    int passedBy(long offset) {
        Chunk first = chunks.peekFirst();
        return offset < 0 || first == null ? 0 : Math.max(0, first.indexOf(offset) - index);
    }

    void step() {
        index++;
    }

    /** The offset of the next record, or where the log goes on. */
    long nextOffset() {
        Chunk chunk = head();
        return chunk == null ? end : chunk.records.get(index).offset();
    }

    /**
     * Drops the last records, so that at most this much is kept. To be called where no runner has one of them.
     *
     * @return where the log must be read again from; -1 when nothing was dropped
     */
    long giveBack(long keepRecords, long keepBytes) {
        KeptChunks kept = KeptChunks.of(chunks, index, keepRecords, keepBytes);
        if (kept == null) {
            return -1;
        }
        chunks.forEach(ledger::passed);
        chunks.clear();
        kept.chunks().forEach(ledger::fetched);
        chunks.addAll(kept.chunks());
        index = 0;
        end = kept.from();
        return end;
    }

    void clear() {
        chunks.clear();
        index = 0;
        ledger.clear();
    }
}
