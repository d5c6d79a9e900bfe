package dev.laneway.ops;

import dev.laneway.ops.CommitMap.Run;
import java.util.ArrayList;
import java.util.List;

/**
 * Collects the runs of a map that is being read, undone and done ones in turn from the committed offset on, and refuses
 * what no writer can have meant. Used by one thread.
 */
final class DoneRuns {
    /** Laneway restores no map with more undone offsets. */
    private static final int MOST_UNDONE = 1 << 22;

    private final List<Run> done = new ArrayList<>();
    private final long most;
    private final boolean mayStartEmpty;
    private long at;
    private long undone;
    private long count;

    /**
     * Starts at the committed offset.
     *
     * @param most how many runs to take; bounds the memory
     */
    DoneRuns(long offset, long most) {
        this(offset, most, false);
    }

    /** As above, where the first undone run may be empty. */
    DoneRuns(long offset, long most, boolean mayStartEmpty) {
        this.at = offset;
        this.most = most;
        this.mayStartEmpty = mayStartEmpty;
    }

    /**
     * Adds the next run.
     *
     * @throws IllegalArgumentException if it is empty, ends beyond all offsets, or is one too many
     */
    void add(long length) {
        if (length < 0 || (length == 0 && !(mayStartEmpty && count == 0))) {
            throw new IllegalArgumentException(
                    count == 0
                            ? "it calls the committed offset itself done"
                            : "it has a run of " + length + " offsets");
        }
        if (at + length < at) {
            throw new IllegalArgumentException("it ends beyond the largest offset");
        }
        if (count == most) {
            throw new IllegalArgumentException("it has more than " + most + " runs");
        }
        if (isDone()) {
            done.add(new Run(at, at + length));
        } else {
            undone += length;
        }
        at += length;
        count++;
    }

    /**
     * The done runs.
     *
     * @throws IllegalArgumentException if the map does not end with one, or has more undone offsets than are restored
     */
    List<Run> finish() {
        if (isDone()) {
            throw new IllegalArgumentException("it does not end with a done offset");
        }
        if (undone > MOST_UNDONE) {
            throw new IllegalArgumentException("it has " + undone + " undone offsets, more than " + MOST_UNDONE);
        }
        return done;
    }

    private boolean isDone() {
        return count % 2 == 1;
    }
}
