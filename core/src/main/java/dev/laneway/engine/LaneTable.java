package dev.laneway.engine;

import java.util.Arrays;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/**
 * The lanes of a track: by key for the look-up, and all of them for those who visit them. Guarded by the track's guard.
 *
 * <p>A look-up by key compares hashes that lie side by side, and touches no lane but the one that it finds; a removal
 * touches one other. Thousands of lanes fit into no cache, their hashes do.
 */
final class LaneTable implements Iterable<Lane> {
    private static final int LEAST_CAPACITY = 16;

    /** Every lane, in no order; each knows its place. */
    private @Nullable Lane[] all = new Lane[LEAST_CAPACITY];

    private int size;
    /** The lanes of keys: each in the first slot from its hash on that was free. Half of the slots are free. */
    private @Nullable Lane[] slots = new Lane[2 * LEAST_CAPACITY];
    /** The hash of the lane in each slot. */
    private int[] hashes = new int[2 * LEAST_CAPACITY];

    private int keyed;

    /** A key's hash, spread: keys that are numbered have neighbouring ones, which would fill slots in a row. */
    static int hash(byte @Nullable [] key) {
        int hash = Arrays.hashCode(key) * 0x9E3779B9; // 2^32 over the golden ratio (D. Knuth, multiplicative hashing)
        return hash ^ hash >>> 16;
    }

    int size() {
        return size;
    }

    /** All lanes, the newest first if none has ended. Lanes must not come or go meanwhile. */
    @Override
    public Iterator<Lane> iterator() {
        return new Iterator<>() {
            private int left = size;

            @Override
            public boolean hasNext() {
                return left > 0;
            }

            @Override
            public Lane next() {
                Lane lane = left > 0 ? all[--left] : null;
                if (lane == null) {
                    throw new NoSuchElementException();
                }
                return lane;
            }
        };
    }

    @Nullable
    Lane find(byte @Nullable [] key, int hash) {
        int mask = slots.length - 1;
        for (int at = hash & mask; ; at = at + 1 & mask) {
            Lane lane = slots[at];
            if (lane == null || (hashes[at] == hash && Arrays.equals(lane.record.key(), key))) {
                return lane;
            }
        }
    }

    void add(Lane lane) {
        if (lane.keyed) {
            if (2 * ++keyed > slots.length) {
                resize(2 * slots.length);
            }
            put(lane);
        }
        if (size == all.length) {
            all = Arrays.copyOf(all, 2 * size);
        }
        lane.place = size;
        all[size++] = lane;
    }

    void remove(Lane lane) {
        if (lane.place >= size || all[lane.place] != lane) {
            throw new IllegalStateException("lane " + lane + " is not in its table");
        }
        Lane last = all[--size];
        all[lane.place] = last;
        all[size] = null;
        if (last != null) {
            last.place = lane.place;
        }
        if (all.length > LEAST_CAPACITY && size < all.length / 8) {
            all = Arrays.copyOf(all, all.length / 4);
        }
        if (lane.keyed) {
            take(lane);
            keyed--;
            if (slots.length > 2 * LEAST_CAPACITY && keyed < slots.length / 16) {
                resize(slots.length / 4);
            }
        }
    }

    private void put(Lane lane) {
        int mask = slots.length - 1;
        int at = lane.hash & mask;
        while (slots[at] != null) {
            at = at + 1 & mask;
        }
        slots[at] = lane;
        hashes[at] = lane.hash;
    }

    /** Empties a lane's slot, and moves those behind it up that a look-up would not find any more. */
    private void take(Lane lane) {
        int mask = slots.length - 1;
        int hole = lane.hash & mask;
        while (slots[hole] != lane) {
            hole = hole + 1 & mask;
        }
        for (int at = hole + 1 & mask; slots[at] != null; at = at + 1 & mask) {
            int fromHome = at - hashes[at] & mask;
            int fromHole = at - hole & mask;
            if (fromHome >= fromHole) {
                slots[hole] = slots[at];
                hashes[hole] = hashes[at];
                hole = at;
            }
        }
        slots[hole] = null;
    }

    private void resize(int length) {
        slots = new Lane[length];
        hashes = new int[length];
        for (Lane lane : this) {
            if (lane.keyed) {
                put(lane);
            }
        }
    }
}
