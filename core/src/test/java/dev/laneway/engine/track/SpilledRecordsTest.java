package dev.laneway.engine.track;

import static dev.laneway.engine.Records.ORDERS_0;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.laneway.Ordering;
import dev.laneway.engine.Handled;
import dev.laneway.engine.Machine;
import dev.laneway.engine.Records;
import dev.laneway.engine.Scene;
import dev.laneway.engine.offsets.DecodedMetadata;
import dev.laneway.engine.offsets.KeyHash;
import dev.laneway.engine.offsets.OffsetMap;
import dev.laneway.engine.offsets.Progress;
import dev.laneway.engine.runtime.HandHost;
import dev.laneway.engine.track.RefillTarget.Reading;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.internals.AutoOffsetResetStrategy;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A track whose key "a" is stuck at offset 0; what is spilled is read again by hand. */
class SpilledRecordsTest {
    private static final int LIMIT = 1_000;

    private final Machine machine = new Machine(
            new HandHost(),
            Scene.options(Ordering.KEY, 1_000),
            Scene.plain(new Handled(Ordering.KEY)),
            new MockConsumer<>(AutoOffsetResetStrategy.EARLIEST.name()),
            null);
    private final List<RefillTarget> wanted = new ArrayList<>();
    private final RefillRoom room = new RefillRoom(() -> {});
    private final RefillQueue queue = new RefillQueue() {
        @Override
        public void wanted(RefillTarget target) {
            wanted.add(target);
        }

        @Override
        public RefillRoom room() {
            return room;
        }
    };
    private final List<ConsumerRecord<byte[], byte[]>> log = new ArrayList<>();
    private static final long FAR = 1_000;

    private Track track(long start, DecodedMetadata.@Nullable Map restored) {
        Track track =
                machine.track(ORDERS_0, start, restored, made -> new SpilledRecords(made, queue, null, restored, FAR));
        track.placed();
        return track;
    }

    /** The log goes on with these records of the key, under a leader. */
    private void append(Track track, int records, int leaderEpoch) {
        Chunk chunk = Records.chunk(ORDERS_0, log.size(), "a".repeat(records), leaderEpoch);
        log.addAll(chunk.records);
        track.append(chunk, log.size());
    }

    /** The same, and the cursor passes them. */
    private void go(Track track, int records, int leaderEpoch) {
        append(track, records, leaderEpoch);
        assertThat(track.claim(Thread.currentThread())).isNull();
    }

    private SpilledRecords spilled(Track track) {
        return (SpilledRecords) track.spilled;
    }

    private Reading refill(Track track) {
        long from = spilled(track).refill().from();
        assertThat(from).isNotNegative();
        return spilled(track).refill().refill(from, log.subList((int) from, log.size()), log.size());
    }

    private static DecodedMetadata.Map map(Track track) {
        Progress progress = track.progress(LIMIT);
        if (OffsetMap.decode(ORDERS_0, progress.offset(), progress.metadata()) instanceof DecodedMetadata.Map map) {
            return map;
        }
        throw new AssertionError("no map: " + progress);
    }

    /** A track with a lane of 30 records. */
    private Track busy() {
        Track track = track(0, null);
        append(track, 1, 0);
        machine.startLane(track);
        go(track, 29, 0);
        return track;
    }

    /** The same, which holds the first five, is done with one of them, and asks for more. */
    private Track stuck() {
        Track track = busy();
        assertThat(spilled(track).spill(10, LIMIT)).isEqualTo(25);
        finish(track, 1);
        return track;
    }

    @Test
    @DisplayName("B97 B25 what an earlier owner left undone of one key fills no share: the cursor gets past it")
    void pastTheRestored() {
        Track before = busy();
        log.addAll(Records.chunk(ORDERS_0, 30, "b").records);
        before.append(new Chunk(log.subList(30, 31)), 31);
        assertThat(before.finish(Machine.claim(before), false)).isFalse();
        DecodedMetadata.Map restored = map(before);
        assertThat(restored.keys()).as("as version 0.1 wrote it").isEmpty();
        Track track = track(0, restored);
        track.append(new Chunk(log.subList(0, 20)), 20);
        machine.startLane(track);
        assertThat(track.claim(Thread.currentThread())).isNull();
        room.grant(100, 100_000, Long.MAX_VALUE, false);
        assertThat(spilled(track).spill(5, LIMIT)).isEqualTo(15);
        assertThat(track.ledger.allRecords()).isEqualTo(20);
        assertThat(spilled(track).spilledKeys())
                .as("others of the key may be done")
                .isZero();
        track.append(new Chunk(log.subList(20, 31)), 31);
        assertThat(track.claim(Thread.currentThread())).isNull();
        assertThat(spilled(track).spill(5, LIMIT)).isPositive();
        assertThat(spilled(track).spilledKeys()).isEqualTo(1);
        assertThat(track.progress(LIMIT).offset()).isZero();
    }

    private static Lane lane(Track track) {
        return track.lanes.table().iterator().next();
    }

    private static void finish(Track track, int records) {
        for (int i = 0; i < records; i++) {
            assertThat(track.lanes.finish(lane(track), null)).isEqualTo(TrackLanes.Next.SAME_LANE);
        }
    }

    @Test
    @DisplayName("B94 B18 what joins a lane whose key is listed is told by the key, not as a record that was started")
    void liveRecordsAreTold() {
        Track track = stuck();
        room.grant(100, 10_000, Long.MAX_VALUE, false);
        assertThat(refill(track)).isEqualTo(Reading.IS_OVER);
        go(track, 5, 0);
        assertThat(lane(track).followers()).isEqualTo(33);
        track.append(Records.chunk(ORDERS_0, 35, "b", 0), 36);
        machine.handle(track, 1);
        assertThat(map(track).cursor()).isEqualTo(36);
        assertThat(map(track).undone()).doesNotContain(30, 31, 32, 33, 34);
        assertThat(map(track).keys())
                .singleElement()
                .satisfies(key -> assertThat(key.from()).isEqualTo(5));
    }

    @Test
    @DisplayName("B1 B94 when few records of a listed key are left they are told by their offsets")
    void fewAreToldByTheirOffsets() {
        Track track = stuck();
        room.grant(100, 10_000, Long.MAX_VALUE, false);
        refill(track);
        finish(track, 25);
        assertThat(track.progress(LIMIT)).isEqualTo(new Progress(26, ""));
        finish(track, 3);
        assertThat(track.progress(LIMIT)).isEqualTo(new Progress(29, ""));
        assertThat(spilled(track).spilledKeys()).isZero();
    }

    @Test
    @DisplayName("B94 B14 a log that was cut and written anew is not read in place of what was spilled")
    void anotherLog() {
        Track track = stuck();
        track.spilled.isOfLeader(0);
        room.grant(100, 10_000, Long.MAX_VALUE, false);
        Chunk anew = Records.chunk(ORDERS_0, 5, "a".repeat(25), 1);
        assertThatThrownBy(() -> spilled(track).refill().refill(5, anew.records, 30))
                .isInstanceOf(LogTruncationException.class);
        assertThat(spilled(track).refill().taken()).isZero();
        assertThat(refill(track)).isEqualTo(Reading.IS_OVER);
    }

    @Test
    @DisplayName("B94 B25 a spilled record that is larger than the budget is held alone")
    void largerThanTheBudget() {
        Track track = stuck();
        room.grant(100, 1, Long.MAX_VALUE, false);
        assertThat(refill(track)).isEqualTo(Reading.IS_FULL);
        assertThat(spilled(track).refill().taken()).isZero();
        room.grant(100, 1, Long.MAX_VALUE, true);
        assertThat(refill(track)).isEqualTo(Reading.IS_FULL);
        assertThat(spilled(track).refill().taken()).isEqualTo(1);
    }

    @Test
    @DisplayName("B94 B25 a partition reads no more again than its share, but a record for a lane that stands still")
    void share() {
        Track track = stuck();
        room.grant(1_000, 100_000, 10, false);
        assertThat(refill(track)).isEqualTo(Reading.IS_FULL);
        assertThat(track.ledger.records()).isEqualTo(10);
        assertThat(room.wasLacking()).as("there is room, for others").isFalse();
        room.grant(1_000, 100_000, 1, false);
        finish(track, 9);
        spilled(track).refill().comeBack();
        assertThat(refill(track)).isEqualTo(Reading.IS_FULL);
        assertThat(track.ledger.records()).isEqualTo(1);
        assertThat(track.lanes.finish(lane(track), null)).isEqualTo(TrackLanes.Next.OTHER_WORK);
        assertThat(lane(track).state).isEqualTo(Lane.State.SPILLED);
        spilled(track).refill().comeBack();
        assertThat(refill(track)).isEqualTo(Reading.IS_FULL);
        assertThat(lane(track).state).isEqualTo(Lane.State.READY);
        assertThat(track.ledger.records()).isEqualTo(1);
    }

    @Test
    @DisplayName("B94 B18 a key that an earlier owner has spilled is busy from the record on that runs")
    void theRunnersKey() {
        DecodedMetadata.Map restored = map(stuck());
        Track track = track(1, restored);
        track.append(Records.chunk(ORDERS_0, 1, "a", 0), 2);
        CursorRun run = Machine.claim(track);
        assertThat(refill(track)).isEqualTo(Reading.IS_OVER);
        assertThat(lane(track).record.offset()).isEqualTo(1);
        assertThat(track.finish(run, false)).isFalse();
    }

    @Test
    @DisplayName(
            "B94 B114 a record that waits in the log is told as such, with its key's hash, also below one that runs")
    void waitsInTheLog() {
        Track track = stuck();
        for (int i = 0; i < 4; i++) {
            track.lanes.finish(lane(track), null);
        }
        track.append(Records.chunk(ORDERS_0, 30, "b", 0), 31);
        machine.startLane(track);
        TrackDiagnostics watch = new TrackDiagnostics(track, machine.host);
        assertThat(watch.oldestStarted()).isEqualTo(5);
        assertThat(watch.describe(5))
                .isEqualTo("it waits in the log behind key hash "
                        + KeyHash.text(KeyHash.of(log.getFirst().key())));
    }

    @Test
    @DisplayName("B96 the oldest record in the log is the first that is not held, until all are, and then none")
    void oldestInLog() {
        Track track = busy();
        assertThat(track.spilled.oldestInLog()).isNull();
        spilled(track).spill(10, LIMIT);
        finish(track, 1);
        String hash = KeyHash.text(KeyHash.of(log.getFirst().key()));
        assertThat(track.spilled.oldestInLog())
                .isEqualTo(new UndoneRecord(5, hash, log.get(5).timestamp()));
        assertThat(track(1, map(track)).spilled.oldestInLog()).isEqualTo(new UndoneRecord(5, hash, -1));
        room.grant(10, 10_000, Long.MAX_VALUE, false);
        assertThat(refill(track)).isEqualTo(Reading.IS_FULL);
        assertThat(track.spilled.oldestInLog())
                .isEqualTo(new UndoneRecord(15, hash, log.get(15).timestamp()));
        room.grant(100, 10_000, Long.MAX_VALUE, false);
        assertThat(refill(track)).isEqualTo(Reading.IS_OVER);
        assertThat(track.spilled.oldestInLog()).isNull();
        assertThat(new TrackDiagnostics(track, machine.host).oldestUndone())
                .isEqualTo(new UndoneRecord(1, hash, log.get(1).timestamp()));
    }

    @Test
    @DisplayName("B94 B25 a lane that is stuck holds few records that were read again, one that goes on holds more")
    void stuckLanesHoldFew() {
        Track track = busy();
        go(track, 170, 0);
        assertThat(spilled(track).spill(10, LIMIT)).isEqualTo(195);
        finish(track, 1);
        room.grant(1_000, 100_000, Long.MAX_VALUE, false);
        assertThat(refill(track)).isEqualTo(Reading.IS_FULL);
        assertThat(lane(track).followers()).isEqualTo(2 * SpilledTail.LOW);
        finish(track, 20);
        assertThat(refill(track)).isEqualTo(Reading.IS_OVER);
        assertThat(lane(track).followers()).isEqualTo(178);
        spilled(track).spill(10, LIMIT);
        finish(track, 1);
        assertThat(refill(track)).isEqualTo(Reading.IS_FULL);
        assertThat(lane(track).followers()).isEqualTo(2 * SpilledTail.LOW);
    }

    @Test
    @DisplayName("B94 B25 a lane that an earlier owner has spilled holds few records until it goes on")
    void restoredLanesHoldFew() {
        Track before = busy();
        go(before, 170, 0);
        spilled(before).spill(10, LIMIT);
        Track track = track(0, map(before));
        track.append(Records.chunk(ORDERS_0, 0, "a".repeat(200), 0), 200);
        Machine.claim(track);
        assertThat(refill(track)).isEqualTo(Reading.IS_OVER);
        assertThat(track.claim(Thread.currentThread())).isNull();
        room.grant(1_000, 100_000, Long.MAX_VALUE, false);
        assertThat(refill(track)).isEqualTo(Reading.IS_FULL);
        assertThat(lane(track).followers()).isEqualTo(SpilledTail.LOW);
    }

    @Test
    @DisplayName("B94 nothing is asked for while a lane has enough")
    void asksInTime() {
        Track track = busy();
        assertThat(spilled(track).spill(20, LIMIT)).isEqualTo(13);
        assertThat(wanted).isEmpty();
        finish(track, 1);
        assertThat(wanted).containsExactly(spilled(track).refill());
    }

    @Test
    @DisplayName("B6 B93 no more keys are spilled than a commit can list")
    void fitsIntoTheMap() {
        int limit = 60;
        String keys = "abcdefghijklmnopqrst";
        Track track = track(0, null);
        track.append(Records.chunk(0, keys), keys.length());
        keys.chars().forEach(_ -> machine.startLane(track));
        track.append(Records.chunk(keys.length(), keys.repeat(2)), 3L * keys.length());
        assertThat(track.claim(Thread.currentThread())).isNull();
        assertThat(track.mapIsNearLimit(0, limit)).isFalse();
        assertThat(spilled(track).spill(0, limit)).isPositive();
        assertThat(spilled(track).spilledKeys()).isBetween(2, 9);
        assertThat(track.mapIsNearLimit(0, limit)).isFalse();
    }
}
