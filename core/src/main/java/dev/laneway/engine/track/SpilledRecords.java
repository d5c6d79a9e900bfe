package dev.laneway.engine.track;

import dev.laneway.LaneKey;
import dev.laneway.engine.offsets.DecodedMetadata;
import dev.laneway.engine.offsets.KeyHash;
import dev.laneway.engine.offsets.LaneKeyId;
import dev.laneway.engine.offsets.SpilledKey;
import dev.laneway.engine.offsets.SpilledKeys;
import dev.laneway.engine.runtime.Guard;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The records of a track that wait behind a busy key in the log alone. Where a partition may fetch no more while its
 * lanes hold what no worker can start, the ends of its longest lanes are <i>spilled</i>: their records are dropped, and
 * those of the same key that the cursor meets later are counted and passed. When a lane has come to its spilled end,
 * the records are read again from the log, in order, until that has got to the cursor; from there on the lane holds
 * what comes, as any other does.
 *
 * <p>None of them was started, so one offset for each key tells the next owner all of it: every record of the key from
 * there on is undone. A record that was read again is told by its offset from its start to its end, as others are.
 *
 * <p>Everything takes the track's guard, or must be called with it where the comment says so.
 */
public final class SpilledRecords implements LaneSpill, RefillTarget {
    /** So many offsets take no more room in a commit's metadata than a key. */
    private static final int FEW = 4;

    /**
     * So many records that were read again may wait in a lane that goes on. Of one that is stuck only
     * {@link SpilledTail#LOW}: many such lanes would else take all the room that live records leave.
     */
    static final int ROOM = 512;

    private final Guard guard;
    private final TrackLanes lanes;
    private final TrackLedger ledger;
    private final Track track;
    private final RefillQueue queue;
    /** Whose lane keys are listed; null where they are the records' own. */
    private final @Nullable LaneKeyId laneKey;

    private final List<LaneTail> tails = new ArrayList<>();
    private final RestoredKeys restored;
    private final FarLanes far;
    /** How many records retention or compaction have taken from the log. */
    private long lost;

    private boolean lacksMapRoom;
    private long taken;
    /** The latest leader of what was read; -1 where that is not known. */
    private volatile int leaderEpoch = -1;

    /**
     * For a track that is being made, and has all but this.
     *
     * @param farOffsets keys of records that lie further behind the cursor are listed though they are held
     */
    public SpilledRecords(
            Track track,
            RefillQueue queue,
            @Nullable LaneKey laneKey,
            DecodedMetadata.@Nullable Map restored,
            long farOffsets) {
        this.guard = track.guard;
        this.lanes = track.lanes;
        this.ledger = track.ledger;
        this.track = track;
        this.queue = queue;
        this.laneKey = LaneKeyId.of(laneKey);
        this.restored = new RestoredKeys(track, this, restored);
        this.far = new FarLanes(track, farOffsets);
    }

    // ---------------------------------------------------------------- for the track, with the guard

    @Override
    public SpilledKeys keys() {
        return tails.isEmpty() && restored.unknown().isEmpty() ? SpilledKeys.NONE : new SpilledKeys(laneKey, listed());
    }

    private List<SpilledKey> listed() {
        List<SpilledKey> keys = new ArrayList<>(restored.unknown());
        tails.forEach(tail -> keys.add(tail.key()));
        return keys;
    }

    @Override
    public boolean mayPass(long offset) {
        return restored.mayPass(offset);
    }

    @Override
    public void restoredEndsAt(long offset) {
        restored.endsAt(offset);
    }

    @Override
    public void starts(SpilledTail tail, ConsumerRecord<byte[], byte[]> next) {
        if (tail.lists(next.offset())) {
            ledger.listedNoMore(next);
            tail.from = next.offset() + 1;
        }
        tail.room = Math.min(ROOM, 2 * tail.room);
        shrinks(tail);
    }

    @Override
    public void shrinks(SpilledTail tail) {
        endOrAsk((LaneTail) tail);
    }

    /** Ends a tail of which all is held, once a few offsets tell it; asks for more where little is held. */
    private void endOrAsk(LaneTail tail) {
        if (tail.isLive()) {
            if (tail.lane.followers() == 0 || (tail.lane.followers() <= FEW && !far.isFar(tail.from))) {
                tail.forEachListed(ledger::listedNoMore);
                tails.remove(tail);
                tail.lane.tail = null;
            }
        } else if (!tail.isWanted && !tail.isLeft && tail.lane.followers() < SpilledTail.LOW) {
            tail.isWanted = true;
            queue.wanted(this);
        }
    }

    @Override
    public void begin() {
        try (var _ = guard.enter()) {
            if (!restored.unknown().isEmpty()) {
                queue.wanted(this);
            }
        }
    }

    /** The cursor has come to what no earlier owner has read. */
    void restoredHasEnded() {
        if (!tails.isEmpty()) {
            queue.wanted(this);
        }
    }

    /** The lane of a record whose key an earlier owner had spilled: all from here on is read again. */
    Lane listAgain(ConsumerRecord<byte[], byte[]> record, long hash) {
        Lane lane = lanes.table().find(record);
        if (lane == null) {
            lane = new Lane(track, record, LaneTable.hash(HeldRecord.laneKey(record)), true);
            lane.state = Lane.State.SPILLED;
            lanes.table().add(lane);
        }
        if (lane.tail == null) {
            LaneTail tail = new LaneTail(lane, hash);
            lane.tail = tail;
            tail.dropped(record);
            tails.add(tail);
            endOrAsk(tail);
        }
        return lane;
    }

    // ---------------------------------------------------------------- the owner

    @Override
    public long spill(long most, int mapLimit) {
        try (var _ = guard.enter()) {
            if (restored.isAhead()) {
                return 0; // Beyond the cursor an earlier owner may have done records of the same key.
            }
            long before = ledger.records();
            lacksMapRoom = false;
            for (int keep = SpilledTail.LOW; ledger.records() > most; keep /= 4) {
                int kept = keep;
                SpillChoice choice = SpillChoice.of(track, new SpilledKeys(laneKey, listed()), most, keep, mapLimit);
                lacksMapRoom |= choice.lacksMapRoom();
                choice.lanes().forEach(lane -> spill(lane, SpillChoice.kept(lane, kept)));
                if (keep == 0) {
                    break;
                }
            }
            return before - ledger.records();
        }
    }

    @Override
    public void listFar(int mapLimit) {
        try (var _ = guard.enter()) {
            List<Lane> found = far.look();
            if (found.isEmpty() || restored.isAhead()) {
                return;
            }
            SpillChoice choice = SpillChoice.of(track, new SpilledKeys(laneKey, listed()), found, 0, mapLimit);
            for (Lane lane : choice.lanes()) {
                LaneTail tail = tail(lane);
                if (tail != null) {
                    tail.listHeld(lane.batchLeft);
                    tail.forEachListed(ledger::listed);
                }
            }
        }
    }

    /** A lane's tail, made if there is none; null where two keys have one hash: a map could not tell them apart. */
    private @Nullable LaneTail tail(Lane lane) {
        LaneTail tail = (LaneTail) lane.tail;
        if (tail == null) {
            long hash = KeyHash.of(HeldRecord.laneKey(lane.record));
            if (isTaken(hash)) {
                return null;
            }
            tail = new LaneTail(lane, hash);
            lane.tail = tail;
            tails.add(tail);
        }
        return tail;
    }

    private void spill(Lane lane, int keep) {
        LaneTail tail = tail(lane);
        if (tail == null) {
            return;
        }
        tail.room = SpilledTail.LOW;
        while (lane.followers() > keep) {
            ConsumerRecord<byte[], byte[]> last = lane.dropLast();
            ledger.spilled(last);
            tail.dropped(last);
        }
    }

    @Override
    public boolean lacksMapRoom() {
        try (var _ = guard.enter()) {
            return lacksMapRoom;
        }
    }

    private boolean isTaken(long hash) {
        return restored.lists(hash) || tails.stream().anyMatch(tail -> tail.hash == hash);
    }

    @Override
    public int spilledKeys() {
        try (var _ = guard.enter()) {
            return (int) tails.stream().filter(tail -> !tail.isLive()).count()
                    + restored.unknown().size();
        }
    }

    @Override
    public void isOfLeader(int epoch) {
        leaderEpoch = epoch;
    }

    @Override
    public long records() {
        try (var _ = guard.enter()) {
            return count();
        }
    }

    @Override
    public long count() {
        long records = 0;
        for (LaneTail tail : tails) {
            records += tail.records;
        }
        return records;
    }

    @Override
    public @Nullable SpilledKey oldestKey() {
        Stream<SpilledKey> known =
                tails.stream().filter(tail -> !tail.lane.isDelayed).map(SpilledTail::key);
        return Stream.concat(restored.unknown().stream(), known)
                .min(Comparator.comparingLong(SpilledKey::from))
                .orElse(null);
    }

    @Override
    public @Nullable UndoneRecord oldestInLog() {
        try (var _ = guard.enter()) {
            return Stream.concat(
                            restored.unknown().stream().map(RestoredKeys::oldestInLog),
                            tails.stream().filter(tail -> !tail.isLive()).map(LaneTail::oldestInLog))
                    .min(Comparator.comparingLong(UndoneRecord::offset))
                    .orElse(null);
        }
    }

    // ---------------------------------------------------------------- whoever reads again

    @Override
    public long from() {
        try (var _ = guard.enter()) {
            if (lanes.gate.isClosed()) {
                return -1;
            }
            long from = Long.MAX_VALUE;
            for (SpilledKey key : restored.unknown()) {
                from = Math.min(from, key.from());
            }
            for (LaneTail tail : tails) {
                if (tail.isWanted && !restored.isAhead()) {
                    from = Math.min(from, tail.readFrom);
                }
            }
            return from == Long.MAX_VALUE ? -1 : from;
        }
    }

    @Override
    public Reading refill(long from, List<ConsumerRecord<byte[], byte[]>> records, long to) {
        try (var _ = guard.enter()) {
            if (lanes.gate.isClosed()) {
                return Reading.IS_OVER;
            }
            if (restored.isAhead()) {
                return restored.find(from, records, to) ? Reading.IS_OVER : Reading.GOES_ON;
            }
            tails.forEach(tail -> tail.isFull = false);
            long cursor = track.cursorOffset();
            for (ConsumerRecord<byte[], byte[]> record : records) {
                if (record.offset() >= cursor) {
                    break; // The cursor will meet it.
                }
                if (leaderEpoch >= 0 && record.leaderEpoch().orElse(-1) > leaderEpoch) {
                    throw new LogTruncationException(Map.of(track.partition, record.offset()), Map.of());
                }
                Lane lane = lanes.table().find(record);
                if (lane == null || lane.tail == null) {
                    lane = restored.recognise(record);
                }
                if (lane != null && lane.tail != null) {
                    offer((LaneTail) lane.tail, from, record);
                }
            }
            return advance(from, to, cursor);
        }
    }

    private void offer(LaneTail tail, long from, ConsumerRecord<byte[], byte[]> record) {
        if (!tail.isWanted || tail.isFull || tail.readFrom < from || record.offset() < tail.readFrom) {
            return;
        }
        long bytes = Chunk.bytes(record);
        if (tail.lane.followers() >= tail.room || !queue.room().has(bytes)) {
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
        boolean isWanted = false;
        boolean isFull = false;
        for (LaneTail tail : List.copyOf(tails)) {
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
            endOrAsk(tail);
            if (tail.lane.state == Lane.State.SPILLED) {
                lanes.end(tail.lane); // None of its records was there any more.
            }
        }
    }

    @Override
    public void leaveFull() {
        try (var _ = guard.enter()) {
            for (LaneTail tail : tails) {
                if (tail.isFull) {
                    tail.isWanted = false;
                    tail.isLeft = true;
                }
            }
        }
    }

    @Override
    public boolean comeBack() {
        try (var _ = guard.enter()) {
            boolean some = false;
            for (LaneTail tail : List.copyOf(tails)) {
                if (tail.isLeft) {
                    tail.isLeft = false;
                    endOrAsk(tail);
                    some = true;
                }
            }
            return some;
        }
    }

    @Override
    public long taken() {
        try (var _ = guard.enter()) {
            return taken;
        }
    }

    @Override
    public long takeLost() {
        try (var _ = guard.enter()) {
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
