package dev.laneway.engine.offsets;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Collects the edges of a map that is being read, undone and done runs in turn, and refuses what no writer can have
 * meant. Not thread-safe.
 */
final class OffsetRuns {

    private final long limit;
    private long[] edges = new long[16];
    private int size = 1;

    /**
     * @param base where the first undone run starts
     * @param limit the most runs to take; bounds the memory
     */
    OffsetRuns(long base, long limit) {
        edges[0] = base;
        this.limit = limit;
    }

    /**
     * Adds the next run.
     *
     * @return false if it is empty, ends beyond the Long range, or is one too many
     */
    boolean run(long length) {
        long end = edges[size - 1] + length;
        if (length <= 0 || end <= edges[size - 1] || size > limit) {
            return false;
        }
        if (size == edges.length) {
            edges = Arrays.copyOf(edges, 2 * size);
        }
        edges[size++] = end;
        return true;
    }

    /** The edges, or null if the last run is not a done one. */
    long @Nullable [] finish() {
        return (size & 1) == 1 ? Arrays.copyOf(edges, size) : null;
    }
}
