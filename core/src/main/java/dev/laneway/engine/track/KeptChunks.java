package dev.laneway.engine.track;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The first of the records that wait in chunks, when no more than so many may be kept. Immutable.
 *
 * @param chunks those that are kept, and {@code records} and {@code bytes} what is in them
 * @param from the offset of the first record that is not kept
 */
public record KeptChunks(List<Chunk> chunks, long records, long bytes, long from) {
    /**
     * What is kept of them, with the guard that they have; null when that is all.
     *
     * @param index where the first chunk goes on
     * @param mostRecords how many records may be kept, and {@code mostBytes} the same in bytes
     */
    public static @Nullable KeptChunks of(Iterable<Chunk> chunks, int index, long mostRecords, long mostBytes) {
        List<Chunk> kept = new ArrayList<>();
        long records = 0;
        long bytes = 0;
        int at = index;
        for (Chunk chunk : chunks) {
            for (int end = at; end < chunk.size; end++) {
                long size = Chunk.bytes(chunk.records.get(end));
                if (records == mostRecords || bytes + size > mostBytes) {
                    kept.addAll(chunk.part(at, end));
                    return new KeptChunks(
                            kept, records, bytes, chunk.records.get(end).offset());
                }
                records++;
                bytes += size;
            }
            kept.addAll(chunk.part(at, chunk.size));
            at = 0;
        }
        return null;
    }
}
