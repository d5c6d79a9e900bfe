package dev.laneway.engine.offsets;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Collects the edges of a map that is being read, undone and done runs in turn, and refuses what no writer can have
 * meant. Not thread-safe.
 */
final class OffsetRuns {

    private final long limit;
    private final boolean mayStartEmpty;
    private long[] edges = new long[16];
    private int size = 1;

    /**
     * @param base where the first undone run starts
     * @param limit the most runs to take; bounds the memory
     */
    OffsetRuns(long base, long limit) {
        this(base, limit, false);
    }

    private OffsetRuns(long base, long limit, boolean mayStartEmpty) {
        edges[0] = base;
        this.limit = limit;
        this.mayStartEmpty = mayStartEmpty;
    }

    /** As the constructor, but the first undone run may be empty, as beside a spilled key that starts at the base. */
    static OffsetRuns withEmptyStart(long base, long limit) {
        return new OffsetRuns(base, limit, true);
    }

    /**
     * Adds the next run.
     *
     * @return false if it is empty and must not be, ends beyond the Long range, or is one too many
     */
    boolean run(long length) {
        long end = edges[size - 1] + length;
        int shortest = mayStartEmpty && size == 1 ? 0 : 1;
        if (length < shortest || end < edges[size - 1] || size > limit) {
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
