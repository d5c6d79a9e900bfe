package dev.laneway.engine.track;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableMap;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Records that their lanes wait with, for their time or for the next attempt, where they would keep others from being
 * fetched. Those that wait for long and are larger than what is kept of them stand in the log alone meanwhile, and are
 * read again shortly before the lane goes on. Others are set aside: they stay, and count by their bytes alone until
 * they are done. Their offsets are undone all the while, as those of other started records are. With the track's guard,
 * but for {@link #next}.
 */
final class SpilledHeads {
    /** To drop what waits for less would gain little. */
    static final long LEAST_WAIT_MILLIS = 5_000;
    /** So long before its lane goes on a record is read again. */
    static final long READ_BEFORE_MILLIS = 2_000;

    /** When a record is to be read again. */
    private record Reading(long millis, long offset) {}

    /** A record in the log, and its lane. */
    private final class Head extends SpilledHead {
        final Lane lane;
        /** Whether it has yet to be read again, and should be. */
        boolean isWanted;
        /** Whether a pass over the log had no room for it, and went on. */
        boolean isLeft;

        boolean isFull;
        boolean isDue;
        boolean isLost;

        Head(Lane lane) {
            this.lane = lane;
        }

        @Override
        void isDue() {
            isDue = true;
            if (isLost) {
                goesOnWithout(this);
            }
        }
    }

    private final TrackLanes lanes;
    private final TrackLedger ledger;
    private final NavigableMap<Long, Head> heads = new TreeMap<>();
    private final PriorityQueue<Reading> readings = new PriorityQueue<>(Comparator.comparingLong(Reading::millis));
    private volatile long next = Delays.NEVER;

    SpilledHeads(Track track) {
        this.lanes = track.lanes;
        this.ledger = track.ledger;
    }

    /** How many there are. */
    int size() {
        return heads.size();
    }

    /** Those with the lowest offset, at most one. */
    Stream<UndoneRecord> oldest() {
        return heads.values().stream().limit(1).map(head -> UndoneRecord.of(head.lane.record, head.lane.keyed));
    }

    /** When the first of them is to be read again, in milliseconds since 1970; any thread. */
    long next() {
        return next;
    }

    /**
     * Drops what waits longest or sets it aside, until the track holds no more records than this, or there is no room
     * for what is kept of it.
     *
     * @param mayDrop whether it can be read again
     */
    void spill(long most, long nowMillis, RefillRoom room, boolean mayDrop) {
        if (ledger.records() <= most || !lanes.delays.someWaitLong()) {
            return;
        }
        List<Lane> waiting = new ArrayList<>();
        for (Lane lane : lanes.table()) {
            boolean waits = lane.state == Lane.State.WAITING && lane.head == null && !ledger.isAside(lane.record);
            if (waits && (lane.isDelayed || waitsLong(lane, nowMillis))) {
                waiting.add(lane);
            }
        }
        waiting.sort(
                Comparator.comparingLong((Lane lane) -> lane.waitsUntilMillis).reversed());
        for (Lane lane : waiting) {
            if (ledger.records() <= most) {
                break;
            }
            long kept = TrackLedger.bareBytes(lane.record);
            if (mayDrop && waitsLong(lane, nowMillis) && kept < Chunk.bytes(lane.record)) {
                drop(lane);
            } else if (room.takeBytes(kept)) {
                ledger.setAside(lane.record);
            }
        }
    }

    private static boolean waitsLong(Lane lane, long nowMillis) {
        return lane.waitsUntilMillis - nowMillis >= LEAST_WAIT_MILLIS;
    }

    private void drop(Lane lane) {
        ledger.dropped(lane.record);
        lane.record = HeldRecord.bare(lane.record);
        Head head = new Head(lane);
        lane.head = head;
        heads.put(lane.record.offset(), head);
        readings.add(new Reading(lane.waitsUntilMillis - READ_BEFORE_MILLIS, lane.record.offset()));
        next = readings.element().millis();
    }

    /** Whether there is something to be read again that was not known before. */
    boolean ask(long nowMillis) {
        boolean some = false;
        Reading first = readings.peek();
        while (first != null && first.millis() <= nowMillis) {
            readings.remove();
            Head head = heads.get(first.offset());
            if (head != null) {
                head.isWanted = true;
                some = true;
            }
            first = readings.peek();
        }
        next = first == null ? Delays.NEVER : first.millis();
        return some;
    }

    // ---------------------------------------------------------------- a pass over the log

    /** The first offset that is wanted; {@link Long#MAX_VALUE} for none. */
    long from() {
        for (var head : heads.entrySet()) {
            if (head.getValue().isWanted && !head.getValue().isLeft) {
                return head.getKey();
            }
        }
        return Long.MAX_VALUE;
    }

    void beginReading() {
        heads.values().forEach(head -> head.isFull = false);
    }

    /** Takes a record that was read again, if it is one of them and there is room; whether it was taken. */
    boolean take(ConsumerRecord<byte[], byte[]> record, RefillRoom room) {
        Head head = heads.get(record.offset());
        if (head == null || !head.isWanted || head.isLeft) {
            return false;
        }
        long bytes = Chunk.bytes(record);
        if (!room.has(bytes)) {
            head.isFull = true;
            return false;
        }
        room.take(bytes);
        heads.remove(record.offset());
        ledger.heldAgain(head.lane.record, record);
        head.lane.record = record;
        head.lane.head = null;
        if (head.isDue) {
            lanes.wake(head.lane);
        }
        return true;
    }

    /** All between was read: what was wanted and not there is no more in the log. How many that were. */
    int read(long from, long to) {
        int lost = 0;
        for (Head head : List.copyOf(heads.subMap(from, to).values())) {
            if (head.isWanted && !head.isLeft && !head.isFull && !head.isLost) {
                head.isLost = true;
                head.isWanted = false;
                lost++;
                if (head.isDue) {
                    goesOnWithout(head);
                }
            }
        }
        return lost;
    }

    boolean isFull() {
        return heads.values().stream().anyMatch(head -> head.isFull);
    }

    /** Whether the pass comes to some of them yet; those behind it need another one. */
    boolean isWantedFrom(long offset) {
        return heads.tailMap(offset, true).values().stream()
                .anyMatch(head -> head.isWanted && !head.isLeft && !head.isFull);
    }

    void leaveFull() {
        heads.values().forEach(head -> head.isLeft |= head.isFull);
    }

    boolean comeBack() {
        boolean some = false;
        for (Head head : heads.values()) {
            some |= head.isLeft;
            head.isLeft = false;
        }
        return some;
    }

    /** The record is gone, and it is time for it. */
    private void goesOnWithout(Head head) {
        Lane lane = head.lane;
        heads.remove(lane.record.offset());
        lane.head = null;
        ledger.lost(lane.record);
        lane.forgetAttempts();
        if (lane.hasFollower()) {
            lanes.restart(lane);
        } else if (lane.tail != null) {
            lane.state = Lane.State.SPILLED;
            lane.track.spilled.shrinks(lane.tail);
        } else {
            lanes.end(lane);
        }
    }
}
