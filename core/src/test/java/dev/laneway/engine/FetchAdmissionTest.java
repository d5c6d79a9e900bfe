package dev.laneway.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.Options;
import dev.laneway.PauseReason;
import dev.laneway.engine.handle.HandlerSpec;
import dev.laneway.engine.runtime.HandHost;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Who has room for more, given only what is held and the budgets. A poll returns 100 records of 10 bytes at most. */
class FetchAdmissionTest {
    private static final long BUFFER_RECORDS = 4_000;
    private static final long BUFFER_BYTES = 100_000;
    /** A poll below a quarter of the records. */
    private static final long HIGH_MARK = 900;

    private final HandHost host = new HandHost();
    private final Machine machine = new Machine(
            host,
            Options.DEFAULTS,
            new HandlerSpec.Plain<>(new ByteArrayDeserializer(), new ByteArrayDeserializer(), record -> {}),
            new HandConsumer(),
            null);
    private final List<FetchState> states = new ArrayList<>(IntStream.range(0, 4)
            .mapToObj(number -> new FetchState(machine.partition(new TopicPartition("orders", number), 0)))
            .toList());

    @Test
    @DisplayName("B25 the same look decides the same")
    void isRepeatable() {
        hold(0, HIGH_MARK, 9_000);
        FetchAdmission once = decide(roomy(), 2);
        List<PauseReason> reasons = reasons();
        FetchAdmission twice = decide(roomy(), 2);
        assertThat(reasons()).isEqualTo(reasons).containsExactly(PauseReason.SHARE_FULL, null, null, null);
        assertThat(twice).usingRecursiveComparison().isEqualTo(once);
    }

    @Test
    @DisplayName("B26 a partition at its high mark waits for half of it, unless the budget grows meanwhile")
    void share() {
        hold(0, HIGH_MARK - 1, 0);
        decide(roomy(), 0);
        assertThat(reasons()).containsOnlyNulls();
        hold(0, HIGH_MARK, 0);
        assertThat(decide(roomy(), 0).heldBack()).isTrue();
        hold(0, HIGH_MARK / 2 + 1, 0);
        decide(roomy(), 0);
        assertThat(states.getFirst().decision).isEqualTo(PauseReason.SHARE_FULL);
        decide(budget(0, true, false, false), 0);
        assertThat(states.getFirst().decision).as("more fits in").isNull();
        states.getFirst().decision = PauseReason.SHARE_FULL;
        hold(0, HIGH_MARK / 2, 0);
        assertThat(decide(roomy(), 0).heldBack()).isFalse();
        assertThat(states.getFirst().decision).isNull();
    }

    @Test
    @DisplayName("B26 a partition that was paused at its end, not for what it holds, needs no low mark")
    void openAtItsEnd() {
        hold(0, HIGH_MARK - 1, 0);
        states.getFirst().decision = PauseReason.AT_END;
        decide(roomy(), 0);
        assertThat(states.getFirst().decision).isNull();
    }

    @Test
    @DisplayName("B25 when the records are full none may fetch, whatever it holds")
    void recordsFull() {
        hold(1, HIGH_MARK, 0);
        FetchAdmission full = decide(budget(0, false, true, false), 0);
        assertThat(reasons())
                .containsExactly(
                        PauseReason.RECORDS_FULL,
                        PauseReason.SHARE_FULL,
                        PauseReason.RECORDS_FULL,
                        PauseReason.RECORDS_FULL);
        assertThat(full.heldBack()).isTrue();
        assertThat(full.refused()).as("by bytes").isFalse();
    }

    @Test
    @DisplayName("B25 B31 bytes are given out in turns, and who had to wait goes first the next time")
    void bytes() {
        FetchAdmission some = decide(budget(75_000, false, false, false), 3);
        assertThat(reasons())
                .as("two chunks of 10,000 fit in")
                .containsExactly(null, PauseReason.BYTES_FULL, PauseReason.BYTES_FULL, null);
        assertThat(some.refused()).isTrue();
        assertThat(some.admittedBytes()).isEqualTo(20_000);
        assertThat(some.next()).isEqualTo(1);
        assertThat(some.heldBack()).as("there is room for records").isFalse();
        assertThat(decide(budget(0, false, false, false), some.next()).next())
                .as("all had their turn")
                .isEqualTo(1);
    }

    @Test
    @DisplayName("B25 where nothing is held, the one whose turn it is may fetch, however much may come")
    void largerThanTheBudget() {
        states.forEach(state -> state.largestChunkBytes = 2 * BUFFER_BYTES);
        decide(
                new FetchBudget(
                        4,
                        0,
                        0,
                        0,
                        HIGH_MARK,
                        BUFFER_RECORDS,
                        BUFFER_BYTES,
                        100,
                        200_000,
                        10_000,
                        false,
                        false,
                        false,
                        false),
                2);
        assertThat(reasons())
                .containsExactly(PauseReason.BYTES_FULL, PauseReason.BYTES_FULL, null, PauseReason.BYTES_FULL);
    }

    @Test
    @DisplayName("B121 of partitions that are read independently, those whose subscribers wait go first")
    void wantedFirst() {
        states.get(2).isWanted = true;
        states.get(3).isWanted = true;
        states.get(3).largestChunkBytes = 12_345;
        FetchAdmission some = decide(budget(85_000, false, false, true), 0);
        assertThat(reasons())
                .containsExactly(PauseReason.BYTES_FULL, PauseReason.BYTES_FULL, null, PauseReason.BYTES_FULL);
        assertThat(some.wantedBytes()).as("room is made for the other one").isEqualTo(12_345);
        assertThat(some.next()).isEqualTo(3);
    }

    @Test
    @DisplayName("B121 of partitions that are read independently, none takes more than its share of the bytes")
    void shareOfBytes() {
        hold(0, 1, BUFFER_BYTES / 4 - 9_999);
        FetchAdmission some = decide(budget(60_000, false, false, true), 0);
        assertThat(reasons())
                .as("beside it, there is room for four")
                .containsExactly(PauseReason.BYTES_FULL, null, null, null);
        assertThat(some.refused()).isFalse();
        assertThat(some.wantedBytes()).isZero();
    }

    @Test
    @DisplayName("B122 what rules a partition out counts before the budgets, and takes no room from others")
    void ruledOut() {
        states.get(0).ruledOut = PauseReason.CANCELLED;
        states.get(1).ruledOut = PauseReason.USER;
        hold(1, HIGH_MARK, 0);
        FetchAdmission some = decide(budget(75_000, false, false, false), 0);
        assertThat(reasons()).containsExactly(PauseReason.CANCELLED, PauseReason.USER, null, null);
        assertThat(some.heldBack()).as("the user's pause is no want of room").isFalse();
    }

    @Test
    @DisplayName("B134 records in lanes do not count for the low mark")
    void lowMark() {
        states.getFirst().decision = PauseReason.SHARE_FULL;
        holdInLanes(0, HIGH_MARK - 1, HIGH_MARK / 2 - 2);
        decide(lending(0), 0);
        assertThat(states.getFirst().decision).isEqualTo(PauseReason.SHARE_FULL);
        holdInLanes(0, HIGH_MARK - 1, HIGH_MARK / 2 - 1);
        assertThat(decide(lending(0), 0).heldBack()).isFalse();
        assertThat(reasons()).containsOnlyNulls();
    }

    @Test
    @DisplayName("B134 a partition that can start little of what it holds borrows what others leave idle")
    void borrows() {
        holdInLanes(0, HIGH_MARK, HIGH_MARK / 2 - 1);
        decide(lending(0), 0);
        assertThat(states.getFirst().decision).as("it has work").isEqualTo(PauseReason.SHARE_FULL);
        holdInLanes(0, HIGH_MARK, HIGH_MARK / 2);
        assertThat(decide(lending(0), 0).heldBack()).isFalse();
        assertThat(reasons()).containsOnlyNulls();
        // Of 4,000 it holds 1,800; for the others 3 low marks and 3 polls are kept, for the next poll 100.
        holdInLanes(0, 2 * HIGH_MARK, 2 * HIGH_MARK);
        decide(lending(0), 0);
        assertThat(reasons()).as("twice the 450 that are left").containsOnlyNulls();
        holdInLanes(0, 2 * HIGH_MARK + 1, 2 * HIGH_MARK + 1);
        assertThat(decide(lending(0), 0).heldBack()).isTrue();
        assertThat(reasons()).containsExactly(PauseReason.SHARE_FULL, null, null, null);
    }

    @Test
    @DisplayName("B134 nothing is lent that would leave less than half of the bytes to others")
    void borrowsBytes() {
        holdInLanes(0, HIGH_MARK, HIGH_MARK);
        decide(lending(BUFFER_BYTES / 2 - 10_000), 0);
        assertThat(reasons()).containsOnlyNulls();
        decide(lending(BUFFER_BYTES / 2 - 9_999), 0);
        assertThat(reasons()).containsExactly(PauseReason.SHARE_FULL, null, null, null);
    }

    @Test
    @DisplayName("B134 while much is lent, what a partition lacks of its low mark is kept from those that hold more")
    void keptForOthers() {
        holdInLanes(0, 1_900, 1_900);
        hold(1, HIGH_MARK / 2, 0);
        hold(2, 1_000, 0);
        decide(lending(0), 0);
        assertThat(reasons()).containsExactly(PauseReason.SHARE_FULL, null, PauseReason.SHARE_FULL, null);
        hold(1, HIGH_MARK / 2 + 1, 0);
        FetchAdmission some = decide(lending(0), 0);
        assertThat(reasons())
                .containsExactly(PauseReason.SHARE_FULL, PauseReason.RECORDS_FULL, PauseReason.SHARE_FULL, null);
        assertThat(some.heldBack()).isTrue();
        // The same sum, and no partition holds more than its share.
        states.forEach(state -> state.decision = null);
        holdInLanes(0, 1_000, 1_000);
        hold(3, HIGH_MARK - 1, 0);
        decide(lending(0), 0);
        assertThat(states.get(1).decision).isNull();
    }

    @Test
    @DisplayName("B134 of several that borrow, those with the smaller loan go on")
    void borrowsFairly() {
        holdInLanes(0, 1_600, 1_600);
        holdInLanes(1, HIGH_MARK, HIGH_MARK);
        decide(lending(0), 0);
        assertThat(reasons()).as("200 are left to lend").containsExactly(PauseReason.SHARE_FULL, null, null, null);
        holdInLanes(0, 1_240, 1_240);
        holdInLanes(1, 1_240, 1_240);
        decide(lending(0), 0);
        assertThat(reasons()).as("220 are, and both have 340").containsOnlyNulls();
        holdInLanes(0, 1_300, 1_300);
        decide(lending(0), 0);
        assertThat(reasons()).as("160 are").containsExactly(PauseReason.SHARE_FULL, PauseReason.SHARE_FULL, null, null);
    }

    private FetchBudget roomy() {
        return budget(0, false, false, false);
    }

    /** What the states hold in records, and these bytes; a fetch may bring 10,000 of a partition. */
    private FetchBudget lending(long heldBytes) {
        long held = 0;
        long lacking = 0;
        boolean lent = false;
        for (FetchState state : states) {
            held += state.heldRecords;
            lacking += Math.max(0, HIGH_MARK / 2 - state.heldRecords);
            lent |= state.heldRecords > HIGH_MARK + 100;
        }
        return new FetchBudget(
                4,
                held,
                heldBytes,
                lacking,
                HIGH_MARK,
                BUFFER_RECORDS,
                BUFFER_BYTES,
                100,
                1_000,
                10_000,
                lent,
                false,
                false,
                false);
    }

    private static FetchBudget budget(long heldBytes, boolean grown, boolean full, boolean independent) {
        long pollBytes = heldBytes == 0 ? 1_000 : 50_000;
        return new FetchBudget(
                4,
                0,
                heldBytes,
                0,
                HIGH_MARK,
                BUFFER_RECORDS,
                BUFFER_BYTES,
                100,
                pollBytes,
                10_000,
                false,
                grown,
                full,
                independent);
    }

    private FetchAdmission decide(FetchBudget budget, int first) {
        return FetchAdmission.decide(states, budget, first);
    }

    private void hold(int number, long records, long bytes) {
        states.get(number).heldRecords = records;
        states.get(number).heldBytes = bytes;
    }

    private void holdInLanes(int number, long records, long inLanes) {
        states.get(number).heldRecords = records;
        states.get(number).blockedRecords = inLanes;
    }

    private List<PauseReason> reasons() {
        return states.stream().map(state -> state.decision).toList();
    }
}
