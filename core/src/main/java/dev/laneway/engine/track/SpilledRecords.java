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
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
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
public final class SpilledRecords implements LaneSpill {
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
    private final SpilledHeads heads;
    private final TrackRefill refill;
    private boolean lacksMapRoom;

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
        this.heads = new SpilledHeads(track);
        this.refill = new TrackRefill(track, this, queue);
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
    void endOrAsk(LaneTail tail) {
        if (tail.isLive()) {
            if (tail.lane.followers() == 0 || (tail.lane.followers() <= FEW && !far.isFar(tail.from))) {
                tail.forEachListed(ledger::listedNoMore);
                tails.remove(tail);
                tail.lane.tail = null;
            }
        } else if (!tail.isWanted && !tail.isLeft && tail.lane.followers() < SpilledTail.LOW) {
            tail.isWanted = true;
            queue.wanted(refill);
        }
    }

    @Override
    public long readAgain(long nowMillis) {
        if (heads.next() <= nowMillis) {
            try (var _ = guard.enter()) {
                if (heads.ask(nowMillis) && !restored.isAhead()) {
                    queue.wanted(refill);
                }
            }
        }
        return heads.next();
    }

    @Override
    public void begin() {
        try (var _ = guard.enter()) {
            if (!restored.unknown().isEmpty()) {
                queue.wanted(refill);
            }
        }
    }

    /** The cursor has come to what no earlier owner has read. */
    void restoredHasEnded() {
        if (!tails.isEmpty() || heads.size() > 0) {
            queue.wanted(refill);
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
            add(tail);
            tail.dropped(record);
            endOrAsk(tail);
        }
        return lane;
    }

    // ---------------------------------------------------------------- the owner

    @Override
    public long spill(long most, int mapLimit) {
        try (var _ = guard.enter()) {
            long before = ledger.records();
            lacksMapRoom = false;
            if (restored.isAhead()) { // Beyond the cursor an earlier owner may have done records of the same key.
                heads.spill(most, lanes.delays.now(), queue.room(), false);
                setAside(most);
                return before - ledger.records();
            }
            for (int keep = SpilledTail.LOW; ledger.records() > most; keep /= 4) {
                int kept = keep;
                SpillChoice choice = SpillChoice.of(track, new SpilledKeys(laneKey, listed()), most, keep, mapLimit);
                lacksMapRoom |= choice.lacksMapRoom();
                choice.lanes().forEach(lane -> spill(lane, SpillChoice.kept(lane, kept)));
                if (keep == 0) {
                    break;
                }
            }
            heads.spill(most, lanes.delays.now(), queue.room(), true);
            return before - ledger.records();
        }
    }

    /**
     * Where no key can be listed, what waits behind busy keys counts by its bytes: no more of it than an earlier owner
     * had undone, but the cursor must get past that.
     */
    private void setAside(long most) {
        for (Lane lane : lanes.table()) {
            for (ConsumerRecord<byte[], byte[]> follower : lane.allFollowers()) {
                if (ledger.isAside(follower)) {
                    continue;
                }
                if (ledger.records() <= most || !queue.room().takeBytes(TrackLedger.bareBytes(follower))) {
                    return;
                }
                ledger.setAside(follower);
            }
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
            add(tail);
        }
        return tail;
    }

    private void add(LaneTail tail) {
        tail.lane.tail = tail;
        tails.add(tail);
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

    List<LaneTail> tails() {
        return tails;
    }

    SpilledHeads heads() {
        return heads;
    }

    RestoredKeys restored() {
        return restored;
    }

    /** What is read again goes there. */
    RefillTarget refill() {
        return refill;
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
        refill.isOfLeader(epoch);
    }

    @Override
    public long records() {
        try (var _ = guard.enter()) {
            return count();
        }
    }

    @Override
    public long count() {
        long records = heads.size();
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
            Stream<UndoneRecord> spilled = Stream.concat(
                    restored.unknown().stream().map(RestoredKeys::oldestInLog),
                    tails.stream().filter(tail -> !tail.isLive()).map(LaneTail::oldestInLog));
            return Stream.concat(heads.oldest(), spilled)
                    .min(Comparator.comparingLong(UndoneRecord::offset))
                    .orElse(null);
        }
    }
}
