package dev.laneway.engine.offsets;

import java.util.function.LongConsumer;

/**
 * The undone offsets of one partition: what was delivered and has no final outcome yet. Everything else below the
 * partition's cursor is done, so the window answers which offset may be committed.
 *
 * <p>Not thread-safe: guarded by the lock of its partition.
 *
 * <h2>Implementation note</h2>
 *
 * <p>Storing what is undone makes every cost follow the work in flight and never the span: one stuck record with ten
 * million done after it is a window of one element. Gaps in the log (compaction, transaction markers) need no care,
 * since an offset that was never added counts as done.
 *
 * <pre>
 *   head                                   tail        ring of long, ascending; capacity a power of two
 *     |                                      |         x    live (undone)
 *     x   x  ~x  ~x   x  ~x   x   x  ~x   x            ~x   dead (done): the complement keeps the sort key
 *
 *   add      append at tail; when the ring is full: rebuild
 *   remove   binary search, complement; both ends are live again before it returns; dead &gt; live: rebuild
 *   rebuild  copy the live ones together, into a ring of at least twice their number
 * </pre>
 *
 * <p>A rebuild leaves no dead slot and half of the ring free, so at least as many calls as it copied elements lie
 * between two of them: add and rebuild are O(1) amortised, remove is O(log n).
 */
public final class OffsetWindow {

    /** Capacity of a fresh window; also the least number of dead slots that is worth a rebuild. */
    static final int MIN_CAPACITY = 16;

    /** An empty window keeps a ring up to this size (8 KiB), so that a fast partition does not allocate per poll. */
    static final int MAX_IDLE_CAPACITY = 1024;

    private static final int MAX_CAPACITY = 1 << 30;

    private long[] ring = new long[MIN_CAPACITY];
    private int head;
    private int slots;
    private int live;
    private long last = -1;

    /**
     * Adds an undone offset.
     *
     * @param offset greater than every offset added before, done or not
     * @throws IllegalStateException if it is not: the log was read backwards within one epoch
     */
    public void add(long offset) {
        if (offset <= last) {
            throw new IllegalStateException("offset " + offset + " added after " + last + ": offsets must ascend");
        }
        if (slots == ring.length) {
            rebuild();
        }
        ring[index(slots)] = offset;
        slots++;
        live++;
        last = offset;
    }

    /**
     * Marks an offset as done.
     *
     * @return false if it was not in the window: it is done already or was never added
     */
    public boolean remove(long offset) {
        int at = lowerBound(offset);
        if (at == slots || ring[index(at)] != offset) {
            return false;
        }
        ring[index(at)] = ~offset;
        live--;
        if (at == 0 || at == slots - 1 || slots - live > Math.max(live, MIN_CAPACITY)) {
            tidy();
        }
        return true;
    }

    /**
     * Marks every undone offset in a range as done; for offsets the log does not hold any more (compaction, retention).
     *
     * @param from inclusive
     * @param to exclusive
     * @return how many were undone
     */
    public int removeRange(long from, long to) {
        int removed = 0;
        for (int at = lowerBound(from); at < slots; at++) {
            int index = index(at);
            if (key(ring[index]) >= to) {
                break;
            }
            if (ring[index] >= 0) {
                ring[index] = ~ring[index];
                removed++;
            }
        }
        live -= removed;
        if (removed > 0) {
            tidy();
        }
        return removed;
    }

    /** Whether the offset was added and is not done. */
    public boolean contains(long offset) {
        int at = lowerBound(offset);
        return at < slots && ring[index(at)] == offset;
    }

    public boolean isEmpty() {
        return live == 0;
    }

    /** How many offsets are undone. */
    public int size() {
        return live;
    }

    /**
     * The lowest undone offset.
     *
     * @throws IllegalStateException if the window is empty
     */
    public long first() {
        if (live == 0) {
            throw new IllegalStateException("an empty window has no first undone offset");
        }
        return ring[head];
    }

    /**
     * The offset that may be committed: nothing below it is undone.
     *
     * @param cursor the offset after the last one delivered
     * @throws IllegalStateException if the cursor does not lie beyond every undone offset
     */
    public long committable(long cursor) {
        if (live == 0) {
            return cursor;
        }
        long highest = ring[index(slots - 1)];
        if (cursor <= highest) {
            throw new IllegalStateException("cursor " + cursor + " is not beyond the undone offset " + highest);
        }
        return ring[head];
    }

    /** Hands every undone offset to the visitor, in ascending order. The visitor must not change the window. */
    public void forEach(LongConsumer visitor) {
        for (int at = 0; at < slots; at++) {
            long slot = ring[index(at)];
            if (slot >= 0) {
                visitor.accept(slot);
            }
        }
    }

    /** The undone offsets in ascending order; a copy. */
    long[] toArray() {
        long[] out = new long[live];
        int n = 0;
        for (int at = 0; at < slots; at++) {
            long slot = ring[index(at)];
            if (slot >= 0) {
                out[n++] = slot;
            }
        }
        return out;
    }

    /**
     * The window as a map, see {@link OffsetMap}: where undone and done runs meet, from the committable offset on.
     *
     * <p>{@code edges[0]} starts an undone run, {@code edges[1]} the done run after it, and so on; the last edge ends
     * the last done run. Their number is odd, and 1 if nothing beyond the committable offset is done. Undone offsets
     * after the last done one are not listed: beyond the last edge nothing is done.
     *
     * @param cursor as in {@link #committable}
     */
    long[] edges(long cursor) {
        long base = committable(cursor);
        int runs = countRuns();
        boolean doneAtEnd = live == 0 || ring[index(slots - 1)] + 1 < cursor;
        long[] edges = new long[doneAtEnd ? 2 * runs + 1 : 2 * runs - 1];
        int n = 0;
        long end = base;
        for (int at = 0; at < slots; at++) {
            long slot = ring[index(at)];
            if (slot >= 0) {
                if (n == 0) {
                    edges[n++] = slot;
                } else if (slot != end) {
                    edges[n++] = end;
                    edges[n++] = slot;
                }
                end = slot + 1;
            }
        }
        if (n == 0) {
            edges[0] = cursor;
        } else if (doneAtEnd) {
            edges[n++] = end;
            edges[n] = cursor;
        }
        return edges;
    }

    /** Slots in use, dead ones included; for tests of the bound on memory and work. */
    int slots() {
        return slots;
    }

    /** Slots allocated; for tests of the bound on memory. */
    int capacity() {
        return ring.length;
    }

    @Override
    public String toString() {
        return live == 0 ? "OffsetWindow[empty]" : "OffsetWindow[" + live + " undone from " + ring[head] + "]";
    }

    private int countRuns() {
        int runs = 0;
        long end = -1;
        for (int at = 0; at < slots; at++) {
            long slot = ring[index(at)];
            if (slot >= 0) {
                if (slot != end) {
                    runs++;
                }
                end = slot + 1;
            }
        }
        return runs;
    }

    /**
     * Restores the invariants: live first and last slot, no more dead slots than live ones but for a small constant.
     */
    private void tidy() {
        if (live == 0) {
            head = 0;
            slots = 0;
            if (ring.length > MAX_IDLE_CAPACITY) {
                ring = new long[MIN_CAPACITY];
            }
            return;
        }
        while (ring[head] < 0) {
            head = (head + 1) & (ring.length - 1);
            slots--;
        }
        while (ring[index(slots - 1)] < 0) {
            slots--;
        }
        if (slots - live > Math.max(live, MIN_CAPACITY)) {
            rebuild();
        }
    }

    private void rebuild() {
        int wanted = capacityFor(live);
        // Shrinks late (to a quarter or less), so that a window of steady size does not flip between two capacities.
        boolean resize = wanted > ring.length || wanted <= ring.length / 4;
        long[] target = resize ? new long[wanted] : ring;
        int origin = resize ? 0 : head;
        int mask = target.length - 1;
        int n = 0;
        for (int at = 0; at < slots; at++) {
            long slot = ring[index(at)];
            if (slot >= 0) {
                target[(origin + n++) & mask] = slot;
            }
        }
        if (n != live) {
            throw new IllegalStateException("window holds " + n + " undone offsets but counted " + live);
        }
        ring = target;
        head = origin;
        slots = live;
    }

    private static int capacityFor(int live) {
        if (live > MAX_CAPACITY / 2) {
            throw new IllegalStateException(
                    live + " undone offsets in one partition: the limit is " + MAX_CAPACITY / 2);
        }
        return Math.max(MIN_CAPACITY, Integer.highestOneBit(Math.max(1, 2 * live - 1)) << 1);
    }

    /** The first slot whose offset, live or dead, is not below the given one; the number of slots if there is none. */
    private int lowerBound(long offset) {
        if (slots == 0) {
            return 0;
        }
        // Offsets ascend, so this is as far as it can lie; without gaps, which is the rule, it lies there.
        long farthest = Math.max(0, Math.min(slots - 1L, offset - key(ring[head])));
        int high = (int) farthest;
        long there = key(ring[index(high)]);
        if (there <= offset) {
            return there == offset ? high : high + 1;
        }
        // Else a few slots before, if few offsets are missing: steps that double find it without a look at the rest.
        int low = 0;
        for (int step = 1; step <= high && low == 0; step *= 2) {
            if (key(ring[index(high - step)]) < offset) {
                low = high - step + 1;
            } else {
                high -= step;
            }
        }
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (key(ring[index(middle)]) < offset) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private int index(int at) {
        return (head + at) & (ring.length - 1);
    }

    /** The offset a slot stands for: the slot itself, or its complement when it is dead. */
    private static long key(long slot) {
        return slot ^ (slot >> 63);
    }
}
