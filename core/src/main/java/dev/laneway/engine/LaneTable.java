package dev.laneway.engine;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The lanes of a track: by key for the look-up, and as a list for those who visit all. Chained through the lanes
 * themselves, so that a busy key costs no further object. Guarded by the track's lock.
 */
final class LaneTable {
    private static final int LEAST_BUCKETS = 16;

    private @Nullable Lane[] buckets = new Lane[LEAST_BUCKETS];
    private int keyed;
    private int size;
    private @Nullable Lane first;

    static int hash(byte @Nullable [] key) {
        int hash = Arrays.hashCode(key);
        return hash ^ hash >>> 16;
    }

    int size() {
        return size;
    }

    /** The newest lane; the others hang on {@link Lane#next}. */
    @Nullable
    Lane first() {
        return first;
    }

    @Nullable
    Lane find(byte @Nullable [] key, int hash) {
        for (Lane lane = buckets[hash & buckets.length - 1]; lane != null; lane = lane.nextInBucket) {
            if (lane.hash == hash && Arrays.equals(lane.record.key(), key)) {
                return lane;
            }
        }
        return null;
    }

    void add(Lane lane) {
        lane.next = first;
        if (first != null) {
            first.previous = lane;
        }
        first = lane;
        size++;
        if (lane.keyed) {
            if (++keyed > buckets.length) {
                resize(buckets.length * 2);
            }
            chain(lane);
        }
    }

    void remove(Lane lane) {
        if (lane.previous != null) {
            lane.previous.next = lane.next;
        } else {
            first = lane.next;
        }
        if (lane.next != null) {
            lane.next.previous = lane.previous;
        }
        lane.previous = null;
        lane.next = null;
        size--;
        if (lane.keyed) {
            unchain(lane);
            keyed--;
            if (buckets.length > LEAST_BUCKETS && keyed < buckets.length / 8) {
                resize(buckets.length / 4 < LEAST_BUCKETS ? LEAST_BUCKETS : buckets.length / 4);
            }
        }
    }

    private void chain(Lane lane) {
        int bucket = lane.hash & buckets.length - 1;
        lane.nextInBucket = buckets[bucket];
        buckets[bucket] = lane;
    }

    private void unchain(Lane lane) {
        int bucket = lane.hash & buckets.length - 1;
        Lane at = buckets[bucket];
        if (at == lane) {
            buckets[bucket] = lane.nextInBucket;
        } else {
            while (at != null && at.nextInBucket != lane) {
                at = at.nextInBucket;
            }
            if (at == null) {
                throw new IllegalStateException("lane " + lane + " is not in its table");
            }
            at.nextInBucket = lane.nextInBucket;
        }
        lane.nextInBucket = null;
    }

    private void resize(int length) {
        @Nullable Lane[] old = buckets;
        buckets = new Lane[length];
        for (Lane head : old) {
            for (Lane lane = head; lane != null; ) {
                Lane following = lane.nextInBucket;
                chain(lane);
                lane = following;
            }
        }
    }
}
