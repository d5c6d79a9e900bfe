package dev.laneway.engine.track;

import static dev.laneway.engine.Records.ORDERS_0;
import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.engine.Machine;
import dev.laneway.engine.Records;
import dev.laneway.engine.runtime.HandHost;
import dev.laneway.engine.track.RefillTarget.Reading;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Lanes that wait an hour for their next attempt; what they wait with is read again by hand. */
class SpilledHeadsTest {
    private static final int LIMIT = 1_000;
    private static final int RECORDS = 10;
    private static final long HOUR = 3_600_000;

    private final HandHost host = new HandHost();
    private final Machine machine = Machine.plain(host);
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
    private final Track track =
            machine.track(ORDERS_0, 0, null, made -> new SpilledRecords(made, queue, null, null, 1_000));
    private final SpilledRecords spilled = (SpilledRecords) track.spilled;
    private final RefillTarget refill = spilled.refill();
    /** Larger than what is kept of it. */
    private final List<ConsumerRecord<byte[], byte[]>> log =
            IntStream.range(0, RECORDS).mapToObj(SpilledHeadsTest::large).toList();

    private final List<Lane> lanes = new ArrayList<>();

    private static ConsumerRecord<byte[], byte[]> large(int offset) {
        return Records.record(ORDERS_0, offset, Integer.toString(offset), 1_000);
    }

    @BeforeEach
    void waitForAnHour() {
        track.append(new Chunk(log), RECORDS);
        for (int i = 0; i < RECORDS; i++) {
            Lane lane = machine.startLane(track);
            lanes.add(lane);
            track.lanes.awaitRetry(lane);
            DelayedRecords.retriesAt(lane, host.epochMillis() + HOUR);
        }
        room.grant(RECORDS, 100_000, Long.MAX_VALUE, false);
    }

    /** All but two are dropped, and it is nearly time for them. */
    private void nearlyDue() {
        spilled.spill(2, LIMIT);
        host.pass(HOUR - SpilledHeads.READ_BEFORE_MILLIS);
        spilled.readAgain(host.epochMillis());
    }

    @Test
    @DisplayName("B97 B25 what waits long is dropped, and what is kept of it counts against the bytes")
    void counts() {
        long bytes = track.ledger.bytes();
        assertThat(spilled.spill(2, LIMIT)).isEqualTo(RECORDS - 2);
        assertThat(track.ledger.records()).isEqualTo(2);
        assertThat(track.ledger.bytes())
                .isEqualTo(bytes + (RECORDS - 2) * (TrackLedger.bareBytes(log.getFirst()) - bytes / RECORDS));
        assertThat(spilled.records()).isEqualTo(RECORDS - 2);
        assertThat(track.progress(LIMIT).offset()).as("all are undone").isZero();
        assertThat(track.ledger.undone()).isEqualTo(RECORDS);
        assertThat(wanted).isEmpty();
    }

    /** Small records, which were not there before. */
    private List<Lane> small() {
        List<ConsumerRecord<byte[], byte[]>> small = Records.chunk(ORDERS_0, RECORDS, "klmnopqrst").records;
        track.append(new Chunk(small), 2 * RECORDS);
        return small.stream()
                .map(record -> {
                    Lane lane = machine.startLane(track);
                    track.lanes.awaitRetry(lane);
                    DelayedRecords.retriesAt(lane, host.epochMillis() + 2 * HOUR);
                    return lane;
                })
                .toList();
    }

    @Test
    @DisplayName("B97 B25 what is small is set aside: it counts by its bytes until it is done")
    void setsAside() {
        List<Lane> waiting = small();
        long bytes = track.ledger.bytes();
        assertThat(spilled.spill(RECORDS, LIMIT)).isEqualTo(RECORDS);
        assertThat(track.ledger.records()).isEqualTo(RECORDS);
        assertThat(track.ledger.bytes()).isEqualTo(bytes + RECORDS * TrackLedger.bareBytes(waiting.getFirst().record));
        assertThat(spilled.records()).as("in the log alone").isZero();
        assertThat(track.progress(LIMIT).offset()).as("all are undone").isZero();
        assertThat(track.ledger.allRecords()).isEqualTo(2 * RECORDS);
        waiting.forEach(track.lanes::wake);
        for (Lane lane : waiting) {
            assertThat(lane.claim(Thread.currentThread())).isTrue();
            track.lanes.finish(lane, null);
        }
        assertThat(track.ledger.allRecords()).isEqualTo(RECORDS);
        assertThat(track.ledger.bytes()).isEqualTo(bytes - RECORDS * Chunk.bytes(waiting.getFirst().record));
    }

    @Test
    @DisplayName("B138 B25 what waits for its time is set aside, also where that is near; a retry that is near is not")
    void isNear() {
        host.pass(HOUR - SpilledHeads.LEAST_WAIT_MILLIS + 1);
        assertThat(spilled.spill(2, LIMIT)).isZero();
        lanes.forEach(lane -> lane.isDelayed = true);
        assertThat(spilled.spill(2, LIMIT)).isEqualTo(RECORDS - 2);
        assertThat(spilled.records()).as("in the log alone").isZero();
        assertThat(track.ledger.undone()).isEqualTo(RECORDS);
    }

    @Test
    @DisplayName("B97 B25 nothing is set aside whose place takes more bytes than there are")
    void needsBytes() {
        small();
        room.grant(RECORDS, 0, Long.MAX_VALUE, false);
        assertThat(spilled.spill(RECORDS, LIMIT)).as("what is large is dropped").isEqualTo(RECORDS);
        assertThat(spilled.records()).isEqualTo(RECORDS);
        assertThat(spilled.spill(2, LIMIT)).isZero();
    }

    @Test
    @DisplayName("B97 it is read again two seconds before it is due, whole, and its lane goes on when it is")
    void isReadAgain() {
        nearlyDue();
        assertThat(wanted).containsExactly(refill);
        assertThat(refill.from()).isNotNegative();
        assertThat(refill.refill(refill.from(), log.subList((int) refill.from(), RECORDS), RECORDS))
                .isEqualTo(Reading.IS_OVER);
        assertThat(track.ledger.records()).isEqualTo(RECORDS);
        for (Lane lane : lanes) {
            assertThat(lane.record.value()).isNotNull();
            assertThat(lane.state).isEqualTo(Lane.State.WAITING);
            track.lanes.wake(lane);
            assertThat(lane.state).isEqualTo(Lane.State.READY);
        }
        assertThat(refill.from()).isEqualTo(-1);
    }

    @Test
    @DisplayName("B97 a lane that is due before its record is there goes on as soon as it is")
    void isLate() {
        nearlyDue();
        lanes.forEach(track.lanes::wake);
        assertThat(lanes).filteredOn(lane -> lane.state == Lane.State.READY).hasSize(2);
        refill.refill(refill.from(), log.subList((int) refill.from(), RECORDS), RECORDS);
        assertThat(lanes).allMatch(lane -> lane.state == Lane.State.READY);
    }

    @Test
    @DisplayName("B97 what lies behind a pass over the log is read by another one")
    void behindThePass() {
        nearlyDue();
        long first = refill.from();
        assertThat(refill.refill(first + 1, log.subList((int) first + 1, RECORDS), RECORDS))
                .isEqualTo(Reading.IS_OVER);
        assertThat(refill.from()).isEqualTo(first);
    }

    @Test
    @DisplayName("B97 without room it waits, and is asked for again")
    void withoutRoom() {
        nearlyDue();
        room.grant(0, 0, Long.MAX_VALUE, false);
        long first = refill.from();
        assertThat(refill.refill(first, log.subList((int) first, RECORDS), RECORDS))
                .isEqualTo(Reading.IS_FULL);
        assertThat(refill.takeLost()).isZero();
        refill.leaveFull();
        assertThat(refill.from()).isEqualTo(-1);
        assertThat(refill.comeBack()).isTrue();
        assertThat(refill.from()).isEqualTo(first);
    }

    @Test
    @DisplayName("B96 B97 what retention has taken of it is counted, and its lane ends when it is due")
    void isLost() {
        nearlyDue();
        refill.refill(refill.from(), List.of(), RECORDS);
        assertThat(refill.takeLost()).isEqualTo(RECORDS - 2);
        assertThat(track.progress(LIMIT).offset()).isZero();
        lanes.forEach(track.lanes::wake);
        assertThat(lanes).filteredOn(lane -> lane.state == Lane.State.ENDED).hasSize(RECORDS - 2);
        assertThat(track.ledger.undone()).isEqualTo(2);
        assertThat(track.ledger.records()).isEqualTo(2);
    }
}
