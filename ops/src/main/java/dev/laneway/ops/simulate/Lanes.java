package dev.laneway.ops.simulate;

import java.util.Arrays;

/**
 * The records that members hold, in one queue for each lane: a key, a partition, or (unordered) the records of a
 * partition. Numbers stand for records and lanes, so that nothing is allocated for a record. Used by one thread.
 */
final class Lanes {
    private static final int NONE = -1;

    private final int[] head;
    private final int[] tail;
    /** Records of a lane, the one that is handled included. */
    private final int[] held;
    /** Those of them that count for the reserve: the others stand in the log alone, and are read again in time. */
    private final int[] counted;

    private final boolean[] busy;

    private long[] arrivals = new long[1_024];
    private int[] next = new int[1_024];
    private int[] keys = new int[1_024];
    private int[] lanes = new int[1_024];
    private int[] members = new int[1_024];
    private int free = NONE;
    private int used;

    Lanes(int count) {
        head = new int[count];
        tail = new int[count];
        held = new int[count];
        counted = new int[count];
        busy = new boolean[count];
        Arrays.fill(head, NONE);
    }

    /** Appends a record to a lane; it counts unless the end of the lane stands in the log alone. */
    boolean append(int lane, int key, long arrival) {
        int record = allocate();
        arrivals[record] = arrival;
        keys[record] = key;
        lanes[record] = lane;
        next[record] = NONE;
        if (head[lane] == NONE) {
            head[lane] = record;
        } else {
            next[tail[lane]] = record;
        }
        tail[lane] = record;
        boolean counts = counted[lane] == held[lane];
        held[lane]++;
        counted[lane] += counts ? 1 : 0;
        return counts;
    }

    private int allocate() {
        if (free != NONE) {
            int record = free;
            free = next[record];
            return record;
        }
        if (used == next.length) {
            int larger = used * 2;
            arrivals = Arrays.copyOf(arrivals, larger);
            next = Arrays.copyOf(next, larger);
            keys = Arrays.copyOf(keys, larger);
            lanes = Arrays.copyOf(lanes, larger);
            members = Arrays.copyOf(members, larger);
        }
        return used++;
    }

    boolean hasWaiting(int lane) {
        return head[lane] != NONE;
    }

    /** Whether a worker handles a record of it. */
    boolean isBusy(int lane) {
        return busy[lane];
    }

    /** Takes the first record of a lane for a worker of a member. */
    int start(int lane, int member) {
        int record = head[lane];
        head[lane] = next[record];
        members[record] = member;
        busy[lane] = true;
        return record;
    }

    /** Ends a record; says whether it makes room in the reserve. */
    boolean end(int record) {
        int lane = lanes[record];
        busy[lane] = false;
        held[lane]--;
        boolean makesRoom = counted[lane] > held[lane];
        counted[lane] -= makesRoom ? 1 : 0;
        next[record] = free;
        free = record;
        return makesRoom;
    }

    /** Leaves all but the first few of a lane to the log; says how much room in the reserve that makes. */
    int spill(int lane, int kept) {
        int room = Math.max(0, counted[lane] - kept);
        counted[lane] -= room;
        return room;
    }

    int held(int lane) {
        return held[lane];
    }

    int counted(int lane) {
        return counted[lane];
    }

    long arrival(int record) {
        return arrivals[record];
    }

    int key(int record) {
        return keys[record];
    }

    int lane(int record) {
        return lanes[record];
    }

    int member(int record) {
        return members[record];
    }
}
