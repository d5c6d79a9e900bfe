package dev.laneway.engine.track;

import static dev.laneway.engine.Records.ORDERS_0;
import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.Ordering;
import dev.laneway.engine.Handled;
import dev.laneway.engine.Machine;
import dev.laneway.engine.Records;
import dev.laneway.engine.Scene;
import dev.laneway.engine.offsets.DecodedMetadata;
import dev.laneway.engine.offsets.KeyHash;
import dev.laneway.engine.offsets.OffsetMap;
import dev.laneway.engine.offsets.Progress;
import dev.laneway.engine.offsets.SpilledKey;
import dev.laneway.engine.runtime.HandHost;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.internals.AutoOffsetResetStrategy;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A stuck lane whose records are held, and lie all over the log. */
class FarLanesTest {
    private static final int LIMIT = 4_096;
    private static final int LOOKS = 6;
    private static final long FAR = 50;

    private final Machine machine = new Machine(
            new HandHost(),
            Scene.options(Ordering.KEY, 1_000),
            Scene.plain(new Handled(Ordering.KEY)),
            new MockConsumer<>(AutoOffsetResetStrategy.EARLIEST.name()),
            null);
    private final RefillRoom room = new RefillRoom(() -> {});
    private final Track track =
            machine.track(ORDERS_0, 0, null, made -> new SpilledRecords(made, new Queue(), null, null, FAR));
    private Lane lane;

    private final class Queue implements RefillQueue {
        @Override
        public void wanted(RefillTarget target) {
            throw new AssertionError("nothing is to be read again");
        }

        @Override
        public RefillRoom room() {
            return room;
        }
    }

    /** The first record is stuck; one in ten is of its key, and all others are done. */
    private void stuck(int records) {
        track.append(Records.chunk(ORDERS_0, 0, "a"), 1);
        lane = machine.startLane(track);
        go(1, records);
    }

    private void go(int from, int to) {
        for (int offset = from; offset < to; offset++) {
            track.append(Records.chunk(ORDERS_0, offset, offset % 10 == 0 ? "a" : "b"), offset + 1L);
            if (offset % 10 == 0) {
                assertThat(track.claim(Thread.currentThread())).isNull();
            } else {
                machine.handle(track, 1);
            }
        }
    }

    private void look() {
        for (int i = 0; i < LOOKS; i++) {
            track.spilled.listFar(LIMIT);
        }
    }

    private DecodedMetadata.Map map() {
        Progress progress = track.progress(LIMIT);
        if (OffsetMap.decode(ORDERS_0, progress.offset(), progress.metadata()) instanceof DecodedMetadata.Map map) {
            return map;
        }
        throw new AssertionError("no map: " + progress);
    }

    @Test
    @DisplayName("B95 the key of a stuck lane is listed once its record lies far behind, in place of each offset")
    void isListed() {
        stuck(100);
        track.spilled.listFar(LIMIT);
        assertThat(map().keys()).isEmpty();
        assertThat(map().undone()).hasSize(10);
        look();
        assertThat(map().keys()).containsExactly(new SpilledKey(KeyHash.of("a".getBytes(StandardCharsets.UTF_8)), 10));
        assertThat(map().undone()).containsExactly(0);
        assertThat(lane.followers()).as("all are held").isEqualTo(9);
        assertThat(track.spilled.spilledKeys()).as("none waits in the log").isZero();
        go(100, 111);
        assertThat(map().undone()).containsExactly(0);
        assertThat(lane.followers()).isEqualTo(11);
    }

    @Test
    @DisplayName("B95 B1 of a listed lane that goes on each record is told from its start to its end")
    void goesOn() {
        stuck(100);
        look();
        assertThat(track.lanes.finish(lane, null)).isEqualTo(TrackLanes.Next.SAME_LANE);
        assertThat(map().undone()).containsExactly(10);
        assertThat(map().keys()).extracting(SpilledKey::from).containsExactly(11L);
        for (int i = 0; i < 4; i++) {
            track.lanes.finish(lane, null);
        }
        assertThat(track.progress(LIMIT).offset()).isEqualTo(50);
        assertThat(map().keys()).as("what is left lies near").isEmpty();
        assertThat(map().undone()).containsExactly(50, 60, 70, 80, 90);
    }

    @Test
    @DisplayName("B95 a lane is not listed that lies near, or that the cursor has only just passed")
    void isNotListed() {
        stuck(45);
        look();
        assertThat(map().keys()).isEmpty();
        track.lanes.finish(lane, null);
        go(45, 200);
        for (int i = 0; i < 4; i++) {
            track.lanes.finish(lane, null);
        }
        assertThat(lane.record.offset()).isEqualTo(50);
        track.spilled.listFar(LIMIT);
        assertThat(map().keys()).isEmpty();
        look();
        assertThat(map().keys()).hasSize(1);
    }

    @Test
    @DisplayName("B95 few records that lie far behind stay told by their key")
    void fewAreTold() {
        stuck(100);
        look();
        go(100, 105);
        track.append(Records.chunk(ORDERS_0, 105, "b".repeat(400)), 505);
        machine.handle(track, 400);
        for (int i = 0; i < 7; i++) {
            track.lanes.finish(lane, null);
        }
        assertThat(lane.followers()).isEqualTo(3);
        assertThat(map().undone()).containsExactly(70);
        assertThat(map().keys()).extracting(SpilledKey::from).containsExactly(71L);
        for (int i = 0; i < 3; i++) {
            track.lanes.finish(lane, null);
        }
        assertThat(map().undone()).containsExactly(100);
        assertThat(map().keys()).as("none is left").isEmpty();
    }
}
