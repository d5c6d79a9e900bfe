package dev.laneway.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.Options;
import dev.laneway.PauseReason;
import dev.laneway.engine.config.RecordBudget;
import dev.laneway.engine.handle.HandlerSpec;
import dev.laneway.engine.runtime.HandHost;
import dev.laneway.engine.track.Assignment;
import dev.laneway.engine.track.Chunk;
import dev.laneway.engine.track.Lane;
import dev.laneway.engine.track.Partition;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class FlowControlTest {
    private static final int POLL = 100;
    private static final long PARTITION_FETCH = 10_000;
    private static final long FETCH = 50_000;
    private static final long FETCH_WAIT_NANOS = 100_000_000;

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
    private FlowControl flow;
    /** What the brokers take, as far as commits have told. */
    private int metadataLimit = 4096;

    @BeforeEach
    void forgetWorkersWakeUps() {
        machine.wake.awake();
    }

    @Test
    void nothingIsPausedWithoutNeed() {
        flow = flow(2, 1_000, 1_000_000);
        flow.apply();
        pollAndApply(0, 399);
        assertThat(consumer.told).isEmpty();
    }

    @Test
    @DisplayName("B26 a partition is paused at its high mark, a poll below its share, and resumed at half of it")
    void hysteresis() {
        flow = flow(2, 1_000, 1_000_000);
        pollAndApply(0, 400);
        assertThat(consumer.told).containsExactly("pause orders-0");
        finish(0, 199);
        flow.apply();
        assertThat(consumer.told).hasSize(1);
        finish(0, 1);
        flow.apply();
        assertThat(consumer.told).containsExactly("pause orders-0", "resume orders-0");
        assertThat(partitions.getFirst().pauseReason).isNull();
    }

    @Test
    @DisplayName("B26 a partition that is paused stops no other")
    void othersGoOn() {
        flow = flow(3, 3_000, 1_000_000);
        pollAndApply(1, 900);
        assertThat(consumer.told).containsExactly("pause orders-1");
        poll(0, 500);
        pollAndApply(2, 500);
        assertThat(consumer.told).hasSize(1);
    }

    @Test
    @DisplayName("B28 turns in which nothing changes tell the consumer nothing")
    void tellsOnlyChanges() {
        flow = flow(2, 1_000, 1_000_000);
        poll(0, 400);
        for (int i = 0; i < 100; i++) {
            flow.apply();
        }
        assertThat(consumer.told).hasSize(1);
    }

    @Test
    @DisplayName("B30 the owner is woken once when a paused partition falls to its low mark")
    void wakesAtTheLowMark() {
        flow = flow(2, 1_000, 1_000_000);
        pollAndApply(0, 400);
        assertThat(machine.wake.beforePoll()).isTrue();
        finish(0, 199);
        assertThat(consumer.wakeups).isZero();
        finish(0, 1);
        assertThat(consumer.wakeups).isEqualTo(1);
        finish(0, 100);
        assertThat(consumer.wakeups).isEqualTo(1);
    }

    @Test
    @DisplayName("B25 all are paused when a poll more could pass the budget, until a quarter is free")
    void budgetOfRecords() {
        // Four shares of 125 are smaller than two polls: the sum decides.
        flow = flow(4, 500, 1_000_000);
        List.of(0, 1, 2, 3).forEach(i -> poll(i, 60));
        flow.apply();
        assertThat(consumer.told).isEmpty();
        List.of(0, 1, 2).forEach(i -> poll(i, 1));
        poll(3, 158);
        assertThat(held()).isEqualTo(401);
        flow.apply();
        assertThat(consumer.told).containsExactly("pause orders-0 orders-1 orders-2 orders-3");
        consumer.told.clear();
        finish(0, 30);
        finish(3, 95);
        flow.apply();
        assertThat(consumer.told)
                .as("orders-0 is at its low mark, but a poll more than a quarter is not free yet")
                .isEmpty();
        finish(3, 1);
        flow.apply();
        assertThat(held()).isEqualTo(275);
        assertThat(consumer.told).containsExactly("resume orders-0");
    }

    @Test
    @DisplayName("B25 a budget smaller than a poll passes one poll at a time")
    void budgetBelowAPoll() {
        flow = flow(1, 10, 1_000_000);
        flow.apply();
        assertThat(consumer.told).isEmpty();
        pollAndApply(0, 100);
        assertThat(consumer.told).containsExactly("pause orders-0");
        finish(0, 99);
        flow.apply();
        assertThat(consumer.told).hasSize(1);
        finish(0, 1);
        flow.apply();
        assertThat(consumer.told).hasSize(2);
    }

    @Test
    @DisplayName("B25 bytes: only as many partitions may fetch as their largest chunks fit the budget")
    void budgetOfBytes() {
        flow = flow(4, 1_000_000, 25_000);
        flow.apply();
        assertThat(consumer.paused()).as("10,000 bytes may come of each").hasSize(2);

        // Once records are known to be small, a poll of them is.
        flow.saw(10);
        flow.apply();
        assertThat(consumer.paused()).isEmpty();

        poll(0, 1, 20_000);
        flow.saw(20_000);
        flow.apply();
        assertThat(consumer.paused()).as("no chunk fits in what is left").hasSize(4);
        finish(0, 1);
        flow.apply();
        assertThat(consumer.paused()).as("two of 10,000, or one of 20,000").hasSizeBetween(2, 3);
    }

    @Test
    @DisplayName("B25 a record larger than the budget passes alone")
    void recordLargerThanTheBudget() {
        flow = flow(2, 1_000, 500);
        for (int i = 0; i < 5; i++) {
            flow.apply();
            assertThat(consumer.paused())
                    .as("one may always fetch when nothing is held")
                    .hasSize(1);
            int open = consumer.paused().contains(id(0)) ? 1 : 0;
            poll(open, 1, 9_000);
            flow.saw(9_000);
            flow.apply();
            assertThat(consumer.paused()).hasSize(2);
            finish(open, 1);
        }
    }

    @Test
    @DisplayName("B25 each partition is the one that may fetch in its turn")
    void takesTurns() {
        flow = flow(5, 1_000, 500);
        var open = new java.util.HashSet<TopicPartition>();
        for (int i = 0; i < 5; i++) {
            flow.apply();
            Set<TopicPartition> now = new java.util.HashSet<>(assignment.ids());
            now.removeAll(consumer.paused());
            open.addAll(now);
        }
        assertThat(open).hasSize(5);
    }

    @Test
    @DisplayName("B31 500 partitions share a budget: each gets to fetch while one holds its share")
    void manyPartitions() {
        flow = flow(500, 20_000, 100_000_000);
        int[] fetched = new int[500];
        var random = new java.util.Random(1);
        for (int turn = 0; turn < 2_000; turn++) {
            flow.apply();
            // Partition 0 has an endless backlog and a slow handler; the others are handled at once.
            int left = POLL;
            for (int i = 0; i < 500 && left > 0; i++) {
                int at = i == 0 ? 0 : random.nextInt(500);
                if (!consumer.paused().contains(id(at))) {
                    int some = Math.min(left, 1 + random.nextInt(40));
                    poll(at, some);
                    fetched[at] += some;
                    left -= some;
                    if (at > 0) {
                        finish(at, some);
                    }
                }
            }
            assertThat(held()).isLessThanOrEqualTo(20_000);
        }
        assertThat(partitions.getFirst().track.ledger.records()).isLessThan(40 + POLL);
        for (int i = 1; i < 500; i++) {
            assertThat(fetched[i]).as("partition %s", i).isBetween(100, 1_000);
        }
    }

    @Test
    @DisplayName(
            "B6 a partition whose map could pass the broker's limit takes no more; it resumes when the map shrinks")
    void mapLimit() {
        flow = withBacklogs(new FlowControl(
                machine.host,
                consumer,
                assigned(2),
                RecordReserve.fixed(1_000_000),
                100_000_000,
                POLL,
                PARTITION_FETCH,
                FETCH,
                FETCH_WAIT_NANOS,
                MapRooms.guarding(() -> 60, POLL),
                false));
        List<Lane> stuck = new ArrayList<>();
        flow.apply();
        while (consumer.told.isEmpty()) {
            poll(0, POLL);
            for (int i = 0; i < POLL / 2; i++) {
                stuck.add(machine.startLane(partitions.get(0).track));
                finish(0, 1);
            }
            assertThat(partitions.get(0).track.progress(60))
                    .as("a map within the limit is not cut")
                    .isEqualTo(partitions.get(0).track.progress(4096));
            flow.apply();
        }
        assertThat(consumer.told).containsExactly("pause orders-0");
        assertThat(stuck).hasSizeBetween(350, 450);
        assertThat(partitions.getFirst().pauseReason).isEqualTo(PauseReason.METADATA_FULL);
        for (Lane lane : stuck) {
            partitions.get(0).track.lanes.finish(lane, null);
        }
        flow.apply();
        assertThat(consumer.told).containsExactly("pause orders-0", "resume orders-0");
    }

    @Test
    @DisplayName("B6 B7 the limit that counts is the one that the brokers turned out to have")
    void mapLimitThatWasLearnt() {
        flow = flow(1, 1_000_000, 100_000_000);
        poll(0, 800);
        List<Lane> stuck = new ArrayList<>();
        for (int i = 0; i < 400; i++) {
            stuck.add(machine.startLane(partitions.get(0).track));
            finish(0, 1);
        }
        flow.apply();
        assertThat(consumer.told).isEmpty();
        metadataLimit = 60;
        flow.apply();
        assertThat(consumer.told).containsExactly("pause orders-0");
        stuck.forEach(lane -> partitions.get(0).track.lanes.finish(lane, null));
        flow.apply();
        assertThat(consumer.told).containsExactly("pause orders-0", "resume orders-0");
    }

    @Test
    @DisplayName(
            "B5 B7 where a poll alone could pass the limit, what is held is guarded; one stuck record stops nobody")
    void mapLimitBelowAPoll() {
        flow = withBacklogs(new FlowControl(
                machine.host,
                consumer,
                assigned(1),
                RecordReserve.fixed(1_000_000),
                100_000_000,
                1_000,
                10,
                FETCH,
                FETCH_WAIT_NANOS,
                MapRooms.guarding(() -> metadataLimit, 1_000),
                false));
        metadataLimit = 64;
        flow.apply();
        assertThat(consumer.told).as("nothing is held: no limit stops that").isEmpty();
        pollAndApply(0, 1_000);
        assertThat(consumer.told).containsExactly("pause orders-0");
        machine.startLane(partitions.get(0).track);
        finish(0, 999);
        flow.apply();
        assertThat(consumer.told).containsExactly("pause orders-0", "resume orders-0");
    }

    @Test
    @DisplayName("B7 where the brokers take next to no metadata there is no map to guard: intake goes on")
    void noMapToGuard() {
        flow = flow(1, 1_000_000, 100_000_000);
        metadataLimit = 16;
        pollAndApply(0, 2_000);
        assertThat(consumer.told).isEmpty();
    }

    @Test
    @DisplayName("B59 what the user has paused stays paused")
    void pausedByUser() {
        flow = flow(2, 1_000, 1_000_000);
        partitions.getFirst().pausedByUser = true;
        flow.apply();
        flow.apply();
        assertThat(consumer.told).containsExactly("pause orders-0");
        assertThat(partitions.getFirst().pauseReason).isEqualTo(PauseReason.USER);
        partitions.getFirst().pausedByUser = false;
        flow.apply();
        assertThat(consumer.told).containsExactly("pause orders-0", "resume orders-0");
    }

    @Test
    @DisplayName("B54 a drain fetches nothing any more")
    void stop() {
        flow = flow(2, 1_000, 1_000_000);
        flow.stop();
        flow.apply();
        assertThat(consumer.told).containsExactly("pause orders-0 orders-1");
        assertThat(partitions).allMatch(partition -> partition.pauseReason == PauseReason.ENDING);
    }

    @Test
    @DisplayName("B30 a member that has lost its partitions need not look soon, though its workers were idle")
    void lostPartitions() {
        flow = withBacklogs(new FlowControl(
                machine.host,
                consumer,
                assigned(1),
                new RecordReserve(new RecordBudget(200, 1_000), () -> true),
                1_000_000,
                POLL,
                PARTITION_FETCH,
                FETCH,
                FETCH_WAIT_NANOS,
                MapRooms.guarding(() -> 4_096, POLL),
                false));
        pollAndApply(0, 150);
        flow.apply();
        assertThat(flow.mustLookSoon()).isTrue();
        assignment.remove(List.copyOf(partitions));
        flow.apply();
        assertThat(flow.mustLookSoon()).isFalse();
    }

    @Test
    void withoutPartitionsThereIsNothingToDo() {
        flow(0, 10, 10).apply();
        assertThat(consumer.told).isEmpty();
    }

    private FlowControl flow(int count, long records, long bytes) {
        return withBacklogs(new FlowControl(
                machine.host,
                consumer,
                assigned(count),
                RecordReserve.fixed(records),
                bytes,
                POLL,
                PARTITION_FETCH,
                FETCH,
                FETCH_WAIT_NANOS,
                MapRooms.guarding(() -> metadataLimit, POLL),
                false));
    }

    private Assignment assigned(int count) {
        for (int i = 0; i < count; i++) {
            Partition partition = machine.partition(id(i), 0);
            consumer.lag(partition.id, 1_000_000);
            partitions.add(partition);
        }
        assignment.add(partitions);
        consumer.assign(assignment.ids());
        return assignment;
    }

    /** Each partition has brought something, and has more. */
    private FlowControl withBacklogs(FlowControl made) {
        partitions.forEach(partition -> made.state(partition).largestChunkBytes = 1);
        return made;
    }

    private static TopicPartition id(int number) {
        return new TopicPartition("orders", number);
    }

    private long held() {
        return partitions.stream()
                .mapToLong(partition -> partition.track.ledger.records())
                .sum();
    }

    private void pollAndApply(int number, int records) {
        poll(number, records);
        flow.apply();
    }

    private void poll(int number, int records) {
        poll(number, records, 10);
    }

    /** What a poll would return; a chunk for each record, so that what is held is exact. */
    private void poll(int number, int records, int bytes) {
        Partition partition = partitions.get(number);
        for (int i = 0; i < records; i++) {
            long offset = partition.position;
            ConsumerRecord<byte[], byte[]> record = Records.record(partition.id, offset, "k" + offset, bytes);
            Chunk chunk = new Chunk(List.of(record));
            flow.state(partition).returned(chunk);
            partition.append(chunk, new OffsetAndMetadata(offset + 1));
        }
    }

    private void finish(int number, int records) {
        machine.handle(partitions.get(number).track, records);
    }
}
