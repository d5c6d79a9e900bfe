package dev.laneway.engine.track;

import dev.laneway.NullKeys;
import dev.laneway.Ordering;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.UUID;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * The lanes of a track: by key for the look-up, and all of them for those who visit them. Guarded by the track's guard.
 *
 * <p>Thousands of lanes fit into no cache, so a look-up by key reads one word where it mostly ends, and touches no lane
 * but the one that it finds. What comes or goes touches no other lane either: each keeps its place, and the place that
 * was left last is taken first.
 */
public final class LaneTable implements Iterable<Lane> {
    private static final int LEAST_CAPACITY = 16;
    private static final VarHandle WORDS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    /** No order follows from it, so a simulation replays all the same. */
    private static final long SEED = UUID.randomUUID().getLeastSignificantBits();

    private static final long FIRST = 0x9E3779B97F4A7C15L; // 2^64 over the golden ratio
    private static final long SEED_OF_PRODUCT = UUID.randomUUID().getLeastSignificantBits();

    private final Ordering ordering;
    private final NullKeys nullKeys;
    /** Every lane at its place, and null between them. */
    private @Nullable Lane[] all = new Lane[LEAST_CAPACITY];

    private int size;
    /** Places from this one on were never taken. */
    private int end;
    /** The places before {@link #end} that are free: a stack. */
    private int[] free = new int[LEAST_CAPACITY];

    private int frees;
    /**
     * The lanes of keys, each in the first slot from its hash on that was free: its hash in the lower half, its place
     * in the upper one, counted from 1. Half of the slots are free.
     */
    private long[] slots = new long[2 * LEAST_CAPACITY];

    LaneTable(Ordering ordering, NullKeys nullKeys) {
        this.ordering = ordering;
        this.nullKeys = nullKeys;
    }

    /** Whether the record must wait for those of its key before it. */
    boolean isKeyed(ConsumerRecord<byte[], byte[]> record) {
        return ordering == Ordering.KEY && (HeldRecord.laneKey(record) != null || nullKeys == NullKeys.ORDERED);
    }

    /**
     * A key's hash, spread: keys that are numbered must not fill slots in a row. It is another one in each process,
     * since whoever chooses the keys could else choose thousands with the same one, and each look-up would visit all of
     * them. So it must not be a polynomial as {@code Arrays.hashCode} is, where equal stays equal whatever it begins
     * with: each word goes through a product of 128 bits (as in wyhash, Wang Yi).
     */
    static int hash(byte @Nullable [] key) {
        return key == null ? 0 : hash(key, SEED);
    }

    static int hash(byte[] key, long seed) {
        long hash = seed ^ key.length;
        int at = 0;
        for (; at + Long.BYTES <= key.length; at += Long.BYTES) {
            hash = mix(hash ^ (long) WORDS.get(key, at));
        }
        long rest = 0;
        for (; at < key.length; at++) {
            rest = (rest << Byte.SIZE) | (key[at] & 0xFF);
        }
        hash = mix(hash ^ rest);
        return (int) (hash ^ hash >>> 32);
    }

    private static long mix(long word) {
        long first = word ^ FIRST;
        long second = word ^ SEED_OF_PRODUCT;
        return Math.unsignedMultiplyHigh(first, second) ^ first * second;
    }

    public int size() {
        return size;
    }

    /** All lanes, the newest first if none has ended. Lanes must not come or go meanwhile. */
    @Override
    public Iterator<Lane> iterator() {
        return new Iterator<>() {
            private int left = size;
            private int at = end;

            @Override
            public boolean hasNext() {
                return left > 0;
            }

            @Override
            public Lane next() {
                while (left > 0 && at > 0) {
                    Lane lane = all[--at];
                    if (lane != null) {
                        left--;
                        return lane;
                    }
                }
                throw new NoSuchElementException();
            }
        };
    }

    /** The lane of the record's key; null when its key is not busy, or it has none that counts. */
    @Nullable
    Lane find(ConsumerRecord<byte[], byte[]> record) {
        if (size == 0 || !isKeyed(record)) {
            return null;
        }
        byte[] key = HeldRecord.laneKey(record);
        int hash = hash(key);
        int mask = slots.length - 1;
        for (int at = hash & mask; slots[at] != 0; at = at + 1 & mask) {
            if ((int) slots[at] == hash) {
                Lane lane = all[place(slots[at])];
                if (lane != null && Arrays.equals(HeldRecord.laneKey(lane.record), key)) {
                    return lane;
                }
            }
        }
        return null;
    }

    void add(Lane lane) {
        if (size == all.length) {
            resize(2 * size);
        }
        seat(lane);
    }

    void remove(Lane lane) {
        int place = lane.place;
        if (place >= all.length || all[place] != lane) {
            throw new IllegalStateException("lane " + lane + " is not in its table");
        }
        all[place] = null;
        free[frees++] = place;
        size--;
        if (lane.keyed) {
            take(slot(lane));
        }
        if (all.length / 4 >= LEAST_CAPACITY && size < all.length / 8) {
            resize(all.length / 4);
        }
    }

    private void seat(Lane lane) {
        lane.place = frees > 0 ? free[--frees] : end++;
        all[lane.place] = lane;
        size++;
        if (lane.keyed) {
            int mask = slots.length - 1;
            int at = lane.hash & mask;
            while (slots[at] != 0) {
                at = at + 1 & mask;
            }
            slots[at] = slot(lane);
        }
    }

    private static long slot(Lane lane) {
        return ((lane.place + 1L) << 32) | (lane.hash & 0xFFFF_FFFFL);
    }

    private static int place(long slot) {
        return (int) (slot >>> 32) - 1;
    }

    /** Empties a slot, and moves those behind it up that a look-up would not find any more. */
    private void take(long slot) {
        int mask = slots.length - 1;
        int hole = (int) slot & mask;
        while (slots[hole] != slot) {
            hole = hole + 1 & mask;
        }
        for (int at = hole + 1 & mask; slots[at] != 0; at = at + 1 & mask) {
            int fromHome = at - (int) slots[at] & mask;
            int fromHole = at - hole & mask;
            if (fromHome >= fromHole) {
                slots[hole] = slots[at];
                hole = at;
            }
        }
        slots[hole] = 0;
    }

    private void resize(int capacity) {
        @Nullable Lane[] before = all;
        int last = end;
        // All of it first: without memory for one of them nothing has changed.
        @Nullable Lane[] places = new Lane[capacity];
        int[] stack = new int[capacity];
        long[] words = new long[2 * capacity];
        all = places;
        free = stack;
        slots = words;
        size = 0;
        end = 0;
        frees = 0;
        for (int at = 0; at < last; at++) {
            Lane lane = before[at];
            if (lane != null) {
                seat(lane);
            }
        }
    }
}
