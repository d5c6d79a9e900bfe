package dev.laneway.engine.track;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Where a track's cursor is, and whether its runner may move it: one word, so that the runner's own step is one
 * compare-and-swap. All else happens under the track's guard; anybody may look.
 */
public final class Cursor {
    /** Nobody moves the cursor; the word's offset is that of the next record. */
    private static final int FREE = 0;
    /** The runner may step on by itself. */
    private static final int GLIDING = 1;
    /** The runner must take the guard for each step: there are busy keys, or records that an earlier owner has done. */
    private static final int STEPPING = 2;

    private static final int MODE_BITS = 2;
    private static final VarHandle WORD;

    static {
        try {
            WORD = MethodHandles.lookup().findVarHandle(Cursor.class, "word", long.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    /** Offset of the cursor's record, and the mode. */
    private volatile long word;

    Cursor(long start) {
        word = start << MODE_BITS;
    }

    /** A value that changes with each step. */
    long look() {
        return word;
    }

    static boolean isFree(long seen) {
        return mode(seen) == FREE;
    }

    public static long offset(long seen) {
        return seen >>> MODE_BITS;
    }

    boolean isFree() {
        return isFree(word);
    }

    long offset() {
        return offset(word);
    }

    /** The hot path: steps from one record of a chunk to the next, without the guard. */
    boolean glide(long from, long to) {
        return WORD.compareAndSet(this, from << MODE_BITS | GLIDING, to << MODE_BITS | GLIDING);
    }

    /** A runner is at this record from now on. */
    void start(long offset, boolean glides) {
        word = offset << MODE_BITS | (glides ? GLIDING : STEPPING);
    }

    /** Nobody is; this is the next record. */
    void free(long next) {
        word = next << MODE_BITS;
    }

    /** Takes it from the runner; false when that has moved on since the look. */
    boolean take(long seen) {
        return WORD.compareAndSet(this, seen, seen & -1L << MODE_BITS);
    }

    /** Makes the runner, if there is one, ask before its next step. */
    void halt() {
        long seen = word;
        while (mode(seen) == GLIDING && !WORD.compareAndSet(this, seen, seen - GLIDING + STEPPING)) {
            seen = word; // It has glided on in between.
        }
    }

    private static int mode(long seen) {
        return (int) seen & (1 << MODE_BITS) - 1;
    }

    /** The offset that the runner is at; -1 when there is none. */
    long running() {
        long seen = look();
        return isFree(seen) ? -1 : offset(seen);
    }
}
