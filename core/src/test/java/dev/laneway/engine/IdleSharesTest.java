package dev.laneway.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.Options;
import dev.laneway.PauseReason;
import dev.laneway.engine.handle.HandlerSpec;
import dev.laneway.engine.runtime.HandHost;
import dev.laneway.engine.track.Assignment;
import dev.laneway.engine.track.Chunk;
import dev.laneway.engine.track.CursorRun;
import dev.laneway.engine.track.Partition;
import dev.laneway.engine.track.Track;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Keys that are stuck, turn by turn: how far their partitions get, and whether all others get to their ends. */
class IdleSharesTest {
    private static final int POLL_RECORDS = 50;
    private static final int FETCH = 100_000;
    private static final int LOG_RECORDS = 25_000;
    private static final long BUFFER_RECORDS = 40 * POLL_RECORDS;
    private static final int KEYS = 3_000;
    private static final String STUCK = "stuck";

    private final HandHost host = new HandHost();
    private final HandConsumer consumer = new HandConsumer();
    private final Machine machine = new Machine(
            host,
            Options.DEFAULTS,
            new HandlerSpec.Plain<>(new ByteArrayDeserializer(), new ByteArrayDeserializer(), record -> {}),
            consumer,
            null);
    private final Assignment assignment = new Assignment();
    private final List<Partition> partitions = new ArrayList<>();
    /** One record in so many is of the stuck key; 0 for a partition that has none. */
    private int[] stuckOneIn = {};
    /** How many records are fetched of each. */
    private int[] log = {};

    private final Map<TopicPartition, List<Long>> begun = new HashMap<>();

    @ParameterizedTest(name = "{0} partitions")
    @CsvSource({"2, 1.2", "6, 2.2", "24, 7", "100, 10"})
    @DisplayName(
            "B134 a key that is stuck: its partition gets much further than by its share, all others to their ends")
    void oneStuckKey(int count, double times) {
        FlowControl flow = flow(count);
        stuckOneIn[0] = 18;
        runToRest(flow);
        // What a share can hold of one key, and a poll that passes it.
        long share = FetchBudget.highMark(BUFFER_RECORDS, count, POLL_RECORDS) + POLL_RECORDS;
        assertThat(partitions.getFirst().position)
                .isGreaterThanOrEqualTo(Math.min(LOG_RECORDS, (long) (times * share * stuckOneIn[0])));
        assertEnds(1, count);
    }

    @ParameterizedTest(name = "{0} of {1} partitions")
    @CsvSource({"2, 6", "5, 6", "1, 2", "23, 24", "12, 24", "20, 100"})
    @DisplayName("B134 B31 keys that are stuck in many partitions: all others get to their ends")
    void manyStuckKeys(int stuck, int count) {
        FlowControl flow = flow(count);
        IntStream.range(0, stuck).forEach(i -> stuckOneIn[i] = 2 + i % 5);
        Arrays.fill(log, 0, count, 1_000 + 24_000 / count);
        // The first of them borrows before others have anything.
        Arrays.fill(log, 1, count, 0);
        runToRest(flow);
        Arrays.fill(log, 1, count, 1_000 + 24_000 / count);
        Arrays.fill(log, stuck, count, 0);
        runToRest(flow);
        Arrays.fill(log, stuck, count, 1_000 + 24_000 / count);
        runToRest(flow);
        assertEnds(stuck, count);
    }

    @Test
    @DisplayName("B134 a full budget asks for no more room than can come free beside busy keys")
    void fullBesideBusyKeys() {
        FlowControl flow = flow(50);
        stuckOneIn[0] = 1;
        append(flow, 0, 1_500);
        handle(partitions.getFirst());
        append(flow, 1, 451);
        flow.apply();
        flow.apply();
        assertThat(partitions.subList(2, 50))
                .as("a poll more would pass the budget")
                .allMatch(one -> one.pauseReason == PauseReason.RECORDS_FULL);
        handle(partitions.get(1));
        flow.apply();
        assertThat(partitions.subList(1, 50)).noneMatch(one -> one.pauseReason == PauseReason.RECORDS_FULL);
        assertThat(partitions.getFirst().pauseReason).isEqualTo(PauseReason.SHARE_FULL);
    }

    @Test
    @DisplayName("B26 B134 a full budget asks for no more room than can come free beside a partition that is paused")
    void fullBesideAPausedPartition() {
        FlowControl flow = flow(50);
        append(flow, 0, 1_500);
        append(flow, 1, 451);
        flow.apply();
        partitions.getFirst().pausedByUser = true;
        handle(partitions.get(1));
        flow.apply();
        assertThat(partitions.getFirst().pauseReason).isEqualTo(PauseReason.USER);
        assertThat(partitions.subList(1, 50)).noneMatch(one -> one.pauseReason == PauseReason.RECORDS_FULL);
    }

    @Test
    @DisplayName("B26 B134 paused partitions that hold all room give it back, and go on where they were")
    void pausedPartitionsGiveBack() {
        FlowControl flow = flow(4);
        Arrays.fill(log, 3_000);
        for (int i = 0; i < 3; i++) {
            append(flow, i, 660);
        }
        partitions.subList(0, 3).forEach(IdleSharesTest::pause);
        flow.apply();
        assertThat(partitions.get(3).pauseReason).isEqualTo(PauseReason.RECORDS_FULL);
        for (int i = 0; i < 110; i++) {
            host.nowNanos += 10_000_000;
            flow.apply();
        }
        runToRest(flow);
        assertEnds(3, 4);
        assertThat(held(0)).as("half of an equal share is kept").isEqualTo(BUFFER_RECORDS / 8);
        partitions.subList(0, 3).forEach(IdleSharesTest::resume);
        runToRest(flow);
        assertEnds(0, 4);
        List<Long> all = LongStream.range(0, 3_000).boxed().toList();
        assertThat(begun.values())
                .hasSize(4)
                .allSatisfy(offsets -> assertThat(offsets).isEqualTo(all));
    }

    private static void pause(Partition partition) {
        partition.pausedByUser = true;
        partition.held.pause();
    }

    private static void resume(Partition partition) {
        partition.pausedByUser = false;
        partition.held.resume();
    }

    @Test
    @DisplayName("B134 partitions that borrow at the same time get about as far as each other")
    void fair() {
        FlowControl flow = flow(6);
        stuckOneIn[0] = 2;
        stuckOneIn[1] = 2;
        runToRest(flow);
        long first = held(0);
        long second = held(1);
        assertThat(Math.abs(first - second)).isLessThanOrEqualTo(2 * POLL_RECORDS);
        assertThat(first).isGreaterThan(BUFFER_RECORDS / 6);
        assertEnds(2, 6);
    }

    @Test
    @DisplayName("B134 what was lent is there again when the key goes on")
    void givesBack() {
        FlowControl flow = flow(6);
        stuckOneIn[0] = 2;
        runToRest(flow);
        assertThat(held(0)).isGreaterThan(BUFFER_RECORDS / 3);
        stuckOneIn[0] = 0;
        partitions
                .getFirst()
                .track
                .lanes
                .table()
                .forEach(lane -> assertThat(lane.attempt).isEqualTo(1));
        var lane = partitions.getFirst().track.lanes.table().iterator().next();
        while (held(0) > 0 && partitions.getFirst().track.lanes.table().size() > 0) {
            partitions.getFirst().track.lanes.finish(lane, null);
        }
        runToRest(flow);
        assertEnds(0, 6);
    }

    private FlowControl flow(int count) {
        stuckOneIn = new int[count];
        log = new int[count];
        Arrays.fill(log, LOG_RECORDS);
        for (int i = 0; i < count; i++) {
            TopicPartition id = new TopicPartition("orders", i);
            partitions.add(machine.partition(id, 0));
            consumer.lag(id, LOG_RECORDS);
        }
        assignment.add(partitions);
        consumer.assign(assignment.ids());
        return new FlowControl(
                host,
                consumer,
                assignment,
                RecordReserve.fixed(BUFFER_RECORDS),
                64 << 20,
                POLL_RECORDS,
                FETCH,
                FETCH,
                100_000_000,
                MapRooms.guarding(() -> 1 << 20, POLL_RECORDS),
                false);
    }

    private void assertEnds(int from, int to) {
        for (int i = from; i < to; i++) {
            assertThat(partitions.get(i).position).as("position of %s", i).isEqualTo(log[i]);
            assertThat(held(i)).as("held of %s", i).isZero();
        }
    }

    /** Turns until nothing is fetched any more. */
    private void runToRest(FlowControl flow) {
        int atRest = 0;
        for (int turn = 0; atRest < 10; turn++) {
            flow.apply();
            int polled = poll(flow, turn);
            long held =
                    IntStream.range(0, partitions.size()).mapToLong(this::held).sum();
            assertThat(held).as("all that is held").isLessThanOrEqualTo(BUFFER_RECORDS);
            partitions.forEach(this::handle);
            atRest = polled == 0 ? atRest + 1 : 0;
            host.nowNanos += 1_000_000;
        }
    }

    /** Up to a poll in all, of those that may fetch, in turns. */
    private int poll(FlowControl flow, int turn) {
        int left = POLL_RECORDS;
        for (int i = 0; i < partitions.size() && left > 0; i++) {
            int at = (turn + i) % partitions.size();
            Partition partition = partitions.get(at);
            int some = (int) Math.min(left, log[at] - partition.position);
            if (some > 0 && partition.pauseReason == null) {
                append(flow, at, some);
                left -= some;
            }
        }
        flow.polled(POLL_RECORDS - left);
        return POLL_RECORDS - left;
    }

    private void append(FlowControl flow, int number, int count) {
        Partition partition = partitions.get(number);
        Chunk chunk = new Chunk(records(number, count));
        flow.returned(partition, chunk);
        partition.append(chunk, new OffsetAndMetadata(partition.position + count));
    }

    private List<ConsumerRecord<byte[], byte[]>> records(int number, int count) {
        Partition partition = partitions.get(number);
        List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
        for (long offset = partition.position; offset < partition.position + count; offset++) {
            boolean stuck = stuckOneIn[number] > 0 && offset % stuckOneIn[number] == 0;
            records.add(Records.record(partition.id, offset, stuck ? STUCK : "k" + offset % KEYS, 100));
        }
        return records;
    }

    /** Handles all that can be: of a stuck key the first record never ends. */
    private void handle(Partition partition) {
        Track track = partition.track;
        while (track.isClaimable() && track.claim(Thread.currentThread()) instanceof CursorRun run) {
            boolean goesOn = true;
            while (goesOn) {
                boolean stuck = Records.key(run.record()).equals(STUCK);
                begun.computeIfAbsent(partition.id, none -> new ArrayList<>())
                        .add(run.record().offset());
                if (stuck) {
                    track.detach(run);
                }
                goesOn = !stuck && track.finish(run, false);
            }
        }
    }

    private long held(int number) {
        return partitions.get(number).held.ledger.records();
    }
}
