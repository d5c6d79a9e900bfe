package dev.laneway.engine.track;

import dev.laneway.engine.offsets.SpilledKey;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.common.TopicPartition;

/**
 * Gives the lanes of a track what was read again of the log: what they wait with, and what comes next of those whose
 * ends are spilled. Everything takes the track's guard.
 */
final class TrackRefill implements RefillTarget {
    private final Track track;
    private final TrackLanes lanes;
    private final TrackLedger ledger;
    private final SpilledRecords spilled;
    private final SpilledHeads heads;
    private final RefillQueue queue;
    /** How many records retention or compaction have taken from the log. */
    private long lost;

    private long taken;
    /** The latest leader of what was read; -1 where that is not known. */
    private volatile int leaderEpoch = -1;

    TrackRefill(Track track, SpilledRecords spilled, RefillQueue queue) {
        this.track = track;
        this.lanes = track.lanes;
        this.ledger = track.ledger;
        this.spilled = spilled;
        this.heads = spilled.heads();
        this.queue = queue;
    }

    /** What was read of the partition was written under this leader at the latest. */
    void isOfLeader(int epoch) {
        leaderEpoch = epoch;
    }

    @Override
    public long records() {
        return spilled.records();
    }

    @Override
    public long from() {
        try (var _ = track.guard.enter()) {
            if (lanes.gate.isClosed()) {
                return -1;
            }
            long from = Long.MAX_VALUE;
            for (SpilledKey key : spilled.restored().unknown()) {
                from = Math.min(from, key.from());
            }
            for (LaneTail tail : spilled.tails()) {
                if (tail.isWanted && !spilled.restored().isAhead()) {
                    from = Math.min(from, tail.readFrom);
                }
            }
            if (!spilled.restored().isAhead()) {
                from = Math.min(from, heads.from());
            }
            return from == Long.MAX_VALUE ? -1 : from;
        }
    }

    @Override
    public Reading refill(long from, List<ConsumerRecord<byte[], byte[]>> records, long to) {
        try (var _ = track.guard.enter()) {
            if (lanes.gate.isClosed()) {
                return Reading.IS_OVER;
            }
            if (spilled.restored().isAhead()) {
                return spilled.restored().find(from, records, to) ? Reading.IS_OVER : Reading.GOES_ON;
            }
            spilled.tails().forEach(tail -> tail.isFull = false);
            heads.beginReading();
            long cursor = track.cursorOffset();
            for (ConsumerRecord<byte[], byte[]> record : records) {
                if (record.offset() >= cursor) {
                    break; // The cursor will meet it.
                }
                if (leaderEpoch >= 0 && record.leaderEpoch().orElse(-1) > leaderEpoch) {
                    throw new LogTruncationException(Map.of(track.partition, record.offset()), Map.of());
                }
                if (heads.take(record, queue.room())) {
                    taken++;
                    continue;
                }
                Lane lane = lanes.table().find(record);
                if (lane == null || lane.tail == null) {
                    lane = spilled.restored().recognise(record);
                }
                if (lane != null && lane.tail != null) {
                    offer((LaneTail) lane.tail, from, record);
                }
            }
            lost += heads.read(from, Math.min(to, cursor));
            return advance(from, to, cursor);
        }
    }

    private void offer(LaneTail tail, long from, ConsumerRecord<byte[], byte[]> record) {
        if (!tail.isWanted || tail.isFull || tail.readFrom < from || record.offset() < tail.readFrom) {
            return;
        }
        long bytes = Chunk.bytes(record);
        boolean isOverShare =
                tail.lane.state != Lane.State.SPILLED && !queue.room().hasShareLeft(ledger.records());
        if (tail.lane.followers() >= tail.room || isOverShare || !queue.room().has(bytes)) {
            tail.isFull = true;
            tail.isReadFrom(record, record.offset());
            return;
        }
        tail.isReadFrom(record, record.offset() + 1);
        tail.records = Math.max(0, tail.records - 1);
        taken++;
        ledger.refilled(record);
        queue.room().take(bytes);
        tail.lane.follow(record);
        if (tail.lane.state == Lane.State.SPILLED) {
            lanes.restart(tail.lane);
        }
    }

    private Reading advance(long from, long to, long cursor) {
        boolean isWanted = heads.isWantedFrom(to);
        boolean isFull = heads.isFull();
        for (LaneTail tail : List.copyOf(spilled.tails())) {
            if (tail.isWanted && tail.readFrom >= from) {
                if (tail.isFull) {
                    isFull = true;
                } else {
                    advance(tail, to, cursor);
                    isWanted |= tail.isWanted;
                }
            }
        }
        if (isFull) {
            return isWanted ? Reading.SOME_ARE_FULL : Reading.IS_FULL;
        }
        return isWanted ? Reading.GOES_ON : Reading.IS_OVER;
    }

    private void advance(LaneTail tail, long to, long cursor) {
        tail.readFrom = Math.max(tail.readFrom, to);
        if (!tail.listsFollower()) {
            tail.from = tail.readFrom; // All before that has been started, or is no more in the log.
        }
        if (to >= cursor) {
            lost += tail.records;
            tail.live();
            spilled.endOrAsk(tail);
            if (tail.lane.state == Lane.State.SPILLED) {
                lanes.end(tail.lane); // None of its records was there any more.
            }
        }
    }

    @Override
    public void leaveFull() {
        try (var _ = track.guard.enter()) {
            heads.leaveFull();
            for (LaneTail tail : spilled.tails()) {
                if (tail.isFull) {
                    tail.isWanted = false;
                    tail.isLeft = true;
                }
            }
        }
    }

    @Override
    public boolean comeBack() {
        try (var _ = track.guard.enter()) {
            boolean some = heads.comeBack();
            for (LaneTail tail : List.copyOf(spilled.tails())) {
                if (tail.isLeft) {
                    tail.isLeft = false;
                    spilled.endOrAsk(tail);
                    some = true;
                }
            }
            return some;
        }
    }

    @Override
    public long taken() {
        try (var _ = track.guard.enter()) {
            return taken;
        }
    }

    @Override
    public long takeLost() {
        try (var _ = track.guard.enter()) {
            long taken = lost;
            lost = 0;
            return taken;
        }
    }

    @Override
    public TopicPartition partition() {
        return track.partition;
    }
}
