package dev.laneway.engine.track;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.NotBefore;
import dev.laneway.Options;
import dev.laneway.Ordering;
import dev.laneway.engine.Handled;
import dev.laneway.engine.Machine;
import dev.laneway.engine.Records;
import dev.laneway.engine.Scene;
import dev.laneway.engine.runtime.HandHost;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.internals.AutoOffsetResetStrategy;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Records whose time has not come, one call at a time. */
class DelaysTest {
    private static final long HOUR = 3_600_000;

    private final HandHost host = new HandHost();
    private final Thread own = Thread.currentThread();
    private Track track;

    /** A track with records from 0 on, one for each key; those at these offsets have to wait for an hour. */
    private void hold(Ordering ordering, boolean rising, String keys, Long... waiting) {
        long due = host.epochMillis() + HOUR;
        Options options = Scene.options(ordering, 1_000)
                .withNotBefore(new NotBefore(
                        record -> Set.of(waiting).contains(record.offset()) ? Instant.ofEpochMilli(due) : null,
                        rising));
        Machine machine = new Machine(
                host,
                options,
                Scene.plain(new Handled(ordering)),
                new MockConsumer<>(AutoOffsetResetStrategy.EARLIEST.name()),
                null);
        track = machine.track();
        List<ConsumerRecord<byte[], byte[]>> fetched = new ArrayList<>(Records.chunk(0, keys).records);
        track.append(new Chunk(HeldRecord.hold(fetched, options, host::epochMillis), true), keys.length());
    }

    /** Lets time pass, and starts what is due. */
    private long pass(long millis) {
        host.pass(millis);
        return DelayedRecords.start(track, host.epochMillis());
    }

    @Test
    @DisplayName("B138 the cursor does not glide to a record whose time has not come, and goes on behind it")
    void behindTheCursor() {
        hold(Ordering.KEY, false, "ABC", 1L);
        CursorRun run = Machine.claim(track);
        assertThat(run.glide(run.record())).isNull();
        assertThat(track.finish(run, false)).isTrue();
        assertThat(track.runningOffset()).isEqualTo(2);
        assertThat(track.finish(run, false)).isFalse();
        assertThat(track.lanes.delays.lanes()).isEqualTo(1);
        assertThat(track.busy()).as("nobody is at work at it").isZero();
        assertThat(DelayedRecords.areAll(track)).isTrue();
        assertThat(track.progress(0).offset()).isEqualTo(1);
        pass(HOUR - 1);
        assertThat(track.lanes.delays.lanes()).isEqualTo(1);
        assertThat(pass(1)).isEqualTo(Long.MAX_VALUE);
        Lane lane = track.lanes.table().iterator().next();
        assertThat(lane.state).isEqualTo(Lane.State.READY);
        assertThat(lane.claim(own)).isTrue();
        track.lanes.finish(lane, null);
        assertThat(track.progress(0).offset()).isEqualTo(3);
    }

    @Test
    @DisplayName("B138 the next record of a lane waits for its time, and holds no worker")
    void ofALane() {
        hold(Ordering.KEY, false, "AAB", 1L);
        Lane first = track.detach(Machine.claim(track));
        assertThat(Machine.claim(track).record().offset()).isEqualTo(2);
        assertThat(track.lanes.finish(first, null)).isEqualTo(TrackLanes.Next.OTHER_WORK);
        assertThat(first.state).isEqualTo(Lane.State.WAITING);
        assertThat(first.record.offset()).isEqualTo(1);
        pass(HOUR);
        assertThat(first.state).isEqualTo(Lane.State.READY);
    }

    @Test
    @DisplayName("B138 where times rise the cursor stays, and the partition waits")
    void rising() {
        hold(Ordering.KEY, true, "ABC", 1L);
        CursorRun run = Machine.claim(track);
        assertThat(track.finish(run, false)).isFalse();
        assertThat(track.isClaimable()).isFalse();
        assertThat(DelayedRecords.partitionWaitsUntil(track)).isEqualTo(host.epochMillis() + HOUR);
        assertThat(DelayedRecords.areAll(track)).isTrue();
        pass(HOUR);
        assertThat(DelayedRecords.partitionWaitsUntil(track)).isZero();
        assertThat(Machine.claim(track).record().offset()).isEqualTo(1);
    }

    @ParameterizedTest(name = "{displayName}: {0}")
    @EnumSource(names = {"KEY", "PARTITION"})
    @DisplayName("B138 that the partition waits is known once a record is there, before a worker comes to it")
    void withoutAWorker(Ordering ordering) {
        hold(ordering, ordering == Ordering.KEY, "ABC", 0L);
        assertThat(DelayedRecords.partitionWaitsUntil(track)).isEqualTo(host.epochMillis() + HOUR);
        assertThat(track.isClaimable()).isFalse();
        pass(HOUR);
        assertThat(DelayedRecords.partitionWaitsUntil(track)).isZero();
    }

    @Test
    @DisplayName("B138 in the order of the partition the lane of one record keeps all others")
    void inPartitionOrder() {
        hold(Ordering.PARTITION, false, "ABC", 0L);
        assertThat(track.claim(own)).isNull();
        assertThat(track.isClaimable()).isFalse();
        assertThat(DelayedRecords.partitionWaitsUntil(track)).isEqualTo(host.epochMillis() + HOUR);
        pass(HOUR);
        Lane lane = track.lanes.table().iterator().next();
        assertThat(lane.claim(own)).isTrue();
        track.lanes.finish(lane, null);
        assertThat(Machine.claim(track).record().offset()).isEqualTo(1);
    }

    @Test
    @DisplayName("B138 health does not take for stuck what waits for its time, or behind such a record")
    void isNotStuck() {
        hold(Ordering.KEY, false, "ABAC", 0L);
        TrackDiagnostics watch = new TrackDiagnostics(track, host);
        CursorRun run = Machine.claim(track);
        track.finish(run, false);
        Lane stuck = track.detach(run);
        assertThat(stuck.record.offset()).isEqualTo(3);
        assertThat(watch.oldestStarted()).isEqualTo(3);
        track.lanes.finish(stuck, null);
        assertThat(watch.oldestStarted()).isEqualTo(-1);
        assertThat(watch.delayed()).isEqualTo(1);
    }

    @Test
    @DisplayName("B138 a track that is given up keeps nothing that waits")
    void givenUp() {
        hold(Ordering.KEY, false, "AB", 0L);
        track.finish(Machine.claim(track), false);
        track.giveUp();
        assertThat(pass(HOUR)).isEqualTo(Long.MAX_VALUE);
        assertThat(track.lanes.table()).allMatch(lane -> lane.state == Lane.State.WAITING);
    }
}
