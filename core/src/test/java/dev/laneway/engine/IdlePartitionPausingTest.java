package dev.laneway.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.Options;
import dev.laneway.PauseReason;
import dev.laneway.engine.handle.HandlerSpec;
import dev.laneway.engine.runtime.HandHost;
import dev.laneway.engine.track.Assignment;
import dev.laneway.engine.track.Chunk;
import dev.laneway.engine.track.Partition;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Who fetches, where the client would have to wait for a fetch of partitions at their end. */
class IdlePartitionPausingTest {
    private static final int FETCH_WAIT_MILLIS = 100;

    private final HandHost host = new HandHost();
    private final HandConsumer consumer = new HandConsumer();
    private final HandlerSpec handling =
            new HandlerSpec.Plain<>(new ByteArrayDeserializer(), new ByteArrayDeserializer(), record -> {});
    private final Machine machine = new Machine(host, Options.DEFAULTS, handling, consumer, null);
    private final Assignment assignment = new Assignment();
    private final List<Partition> partitions = new ArrayList<>();
    private FlowControl flow;

    @Test
    @DisplayName("B26 partitions at their end fetch nothing while one is paused for want of room, and with it again")
    void abstain() {
        flow = flow(3);
        withMore(0);
        atEnd(1);
        atEnd(2);
        poll(0, 900);
        flow.apply();
        assertThat(consumer.told).containsExactly("pause orders-0 orders-1 orders-2");
        assertThat(partitions)
                .extracting(partition -> partition.pauseReason)
                .containsExactly(PauseReason.SHARE_FULL, PauseReason.AT_END, PauseReason.AT_END);
        assertThat(flow.mustLookSoon()).isTrue();
        finish(0, 450);
        flow.apply();
        assertThat(consumer.told)
                .containsExactly("pause orders-0 orders-1 orders-2", "resume orders-0 orders-1 orders-2");
        assertThat(flow.mustLookSoon()).isFalse();
    }

    @Test
    @DisplayName("B26 a partition that has something to fetch does not abstain")
    void withBacklog() {
        flow = flow(2);
        withMore(0);
        poll(1, 1);
        consumer.lag(id(1), 1);
        poll(0, 900);
        flow.apply();
        assertThat(consumer.told).containsExactly("pause orders-0");
        assertThat(flow.mustLookSoon()).isFalse();
        consumer.lag(id(1), 0);
        flow.apply();
        assertThat(consumer.told)
                .as("it is not asked again before it gets there")
                .hasSize(1);
        poll(1, 1);
        flow.apply();
        assertThat(consumer.told).containsExactly("pause orders-0", "pause orders-1");
    }

    @Test
    @DisplayName("The client is asked for a lag once for each position that it has reached")
    void asksOnce() {
        flow = flow(2);
        withMore(0);
        atEnd(1);
        poll(0, 900);
        for (int turn = 0; turn < 10; turn++) {
            flow.apply();
        }
        assertThat(consumer.lagsAsked).as("for each of them").isEqualTo(2);
        poll(1, 1);
        flow.apply();
        assertThat(consumer.lagsAsked).isEqualTo(3);
    }

    @Test
    @DisplayName("B31 what no fetch has told of yet abstains until one had time, and fetches if nothing is known then")
    void unknown() {
        flow = flow(2);
        withMore(0);
        poll(0, 900);
        flow.apply();
        assertThat(consumer.told).containsExactly("pause orders-0 orders-1");
        int asked = consumer.lagsAsked;
        host.pass(20);
        flow.apply();
        assertThat(consumer.lagsAsked).isEqualTo(asked + 1);
        assertThat(consumer.told).containsExactly("pause orders-0 orders-1", "resume orders-1");
        host.pass(19);
        consumer.lag(id(1), 0);
        flow.apply();
        assertThat(consumer.lagsAsked).as("not in each turn").isEqualTo(asked + 1);
        host.pass(1);
        flow.apply();
        assertThat(consumer.lagsAsked).isEqualTo(asked + 2);
        assertThat(consumer.told).endsWith("pause orders-1");
    }

    @Test
    @DisplayName(
            "B26 where a pause lasts as long as a fetch that finds nothing, partitions at their end go on fetching")
    void longPauses() {
        flow = flow(2);
        withMore(0);
        atEnd(1);
        poll(0, 900);
        flow.apply();
        host.pass(FETCH_WAIT_MILLIS - 1);
        flow.apply();
        assertThat(consumer.told).containsExactly("pause orders-0 orders-1");
        host.pass(1);
        flow.apply();
        assertThat(consumer.told).containsExactly("pause orders-0 orders-1", "resume orders-1");
        finish(0, 450);
        flow.apply();
        poll(0, 450);
        flow.apply();
        assertThat(consumer.told.subList(2, consumer.told.size()))
                .as("the pause before was long, so this one will be")
                .containsExactly("resume orders-0", "pause orders-0");
    }

    @Test
    @DisplayName(
            "B26 B31 short pauses of others, for long, do not shut one out: it is free until the client has fetched")
    void shortPauses() {
        flow = flow(3);
        withMore(0);
        withMore(1);
        atEnd(2);
        flow.polled(100);
        for (int turn = 0; turn < 60; turn++) {
            byTurns(turn);
            assertThat(consumer.paused().contains(id(2))).as("turn %s", turn).isEqualTo(turn < 40);
            flow.polled(turn < 40 ? 0 : 100);
        }
        flow.polled(99);
        byTurns(60);
        assertThat(consumer.paused())
                .as("the poll could have returned more, so it has fetched")
                .contains(id(2));
    }

    @Test
    @DisplayName("B31 a poll that finds nothing says little while a fetch without the abstainers may be under way")
    void otherFetches() {
        flow = flow(3);
        withMore(0);
        withMore(1);
        atEnd(2);
        for (int turn = 0; turn < 60; turn++) {
            byTurns(turn);
            assertThat(consumer.paused().contains(id(2))).as("turn %s", turn).isEqualTo(turn < 40 || turn >= 50);
            if (turn % 10 == 9) {
                flow.apply();
                assertThat(consumer.paused()).isEmpty();
                flow.polled(0);
            }
        }
    }

    @Test
    @DisplayName("B31 who is free after long is so for as long as a fetch takes, to get what it brings")
    void freeForAFetch() {
        flow = flow(2);
        withMore(0);
        atEnd(1);
        flow.polled(100);
        for (int turn = 0; turn < 60; turn += 2) {
            poll(0, 900);
            flow.apply();
            assertThat(consumer.paused().contains(id(1))).as("turn %s", turn).isEqualTo(turn < 40 || turn > 50);
            flow.polled(0);
            host.pass(10);
            finish(0, 900);
            flow.apply();
            flow.polled(100);
            host.pass(10);
        }
    }

    /** The two partitions with more are paused by turns, and 10 ms pass. */
    private void byTurns(int turn) {
        int full = turn % 2;
        poll(full, 900);
        flow.apply();
        assertThat(consumer.paused()).contains(id(full)).doesNotContain(id(1 - full));
        finish(full, 900);
        host.pass(10);
    }

    @Test
    @DisplayName("B31 turns in which nobody may fetch do not count as fetches")
    void allPaused() {
        flow = flow(2);
        withMore(0);
        atEnd(1);
        int alone = 0;
        for (int turn = 0; turn < 100; turn++) {
            boolean everything = turn % 2 == 0;
            poll(0, everything ? 1_950 : 0);
            flow.apply();
            assertThat(consumer.paused()).as("turn %s", turn).contains(id(0));
            alone += consumer.paused().contains(id(1)) ? 0 : 1;
            flow.polled(0);
            finish(0, everything ? 1_000 : 950);
            host.pass(10);
            flow.apply();
        }
        assertThat(alone).isPositive();
    }

    @Test
    @DisplayName("B26 with one busy partition, each fetch of it is one of all")
    void oneBusy() {
        flow = flow(2);
        withMore(0);
        atEnd(1);
        flow.polled(100);
        for (int turn = 0; turn < 200; turn++) {
            poll(0, 900);
            flow.apply();
            assertThat(consumer.paused()).as("turn %s", turn).hasSize(2);
            flow.polled(0);
            host.pass(10);
            finish(0, 900);
            flow.apply();
            assertThat(consumer.paused()).isEmpty();
            flow.polled(turn % 20 == 19 ? 15 : 100);
        }
    }

    @Test
    @DisplayName("B26 one that has abstained goes on with the others, however much it holds")
    void abstainerWithRecords() {
        flow = flow(3);
        withMore(0);
        poll(1, 700);
        consumer.lag(id(1), 0);
        poll(0, 900);
        flow.apply();
        flow.apply();
        assertThat(consumer.told).containsExactly("pause orders-0 orders-1 orders-2");
        finish(0, 450);
        flow.apply();
        assertThat(consumer.told).endsWith("resume orders-0 orders-1 orders-2").hasSize(2);
    }

    @Test
    @DisplayName(
            "Nobody abstains for a partition that the user has paused, that is at its end itself, or holds nothing")
    void forNobodyElse() {
        flow = flow(3);
        withMore(0);
        consumer.lag(id(0), 900);
        atEnd(1);
        atEnd(2);
        poll(0, 900);
        partitions.getFirst().pausedByUser = true;
        flow.apply();
        assertThat(consumer.told).containsExactly("pause orders-0");
        host.pass(1_000);
        partitions.getFirst().pausedByUser = false;
        flow.apply();
        assertThat(consumer.paused())
                .as("the user's pause was no long pause of its own")
                .hasSize(3);

        finish(0, 900);
        poll(0, 900);
        consumer.lag(id(0), 0);
        flow.apply();
        assertThat(consumer.paused()).as("it has no backlog").containsExactly(id(0));
    }

    @Test
    @DisplayName("B25 nobody abstains for one that has no room beside what others may bring, and holds nothing")
    void forOneThatHoldsNothing() {
        flow = flow(3);
        withMore(0);
        atEnd(1);
        atEnd(2);
        flow.saw(20_000); // A poll may bring more than the budget of bytes has room for.
        flow.state(partitions.getFirst()).largestChunkBytes = 1_000_000;
        poll(1, 1);
        flow.apply();
        assertThat(consumer.paused()).containsExactly(id(0));
    }

    @Test
    @DisplayName("A log that ends before the position, as a follower may have it, is at its end")
    void negativeLag() {
        flow = flow(2);
        withMore(0);
        atEnd(1);
        consumer.lag(id(1), -5);
        poll(0, 900);
        flow.apply();
        assertThat(consumer.paused()).hasSize(2);
    }

    @Test
    @DisplayName("Where brokers answer at once, nobody abstains")
    void answeredAtOnce() {
        flow = flow(2, 0);
        withMore(0);
        atEnd(1);
        poll(0, 900);
        flow.apply();
        assertThat(consumer.paused()).containsExactly(id(0));
    }

    @Test
    @DisplayName("B30 a member that has lost its partitions need not look soon")
    void withoutPartitions() {
        flow = flow(2);
        withMore(0);
        atEnd(1);
        poll(0, 900);
        flow.apply();
        assertThat(flow.mustLookSoon()).isTrue();
        assignment.remove(List.copyOf(partitions));
        flow.apply();
        assertThat(flow.mustLookSoon()).isFalse();
    }

    private FlowControl flow(int count) {
        return flow(count, FETCH_WAIT_MILLIS);
    }

    /** It has brought something, which is done, and has more. */
    private void withMore(int number) {
        atEnd(number);
        consumer.lag(id(number), 10_000_000);
    }

    private FlowControl flow(int count, int fetchWaitMillis) {
        for (int i = 0; i < count; i++) {
            partitions.add(machine.partition(id(i), 0));
        }
        assignment.add(partitions);
        consumer.assign(assignment.ids());
        return new FlowControl(
                host,
                consumer,
                assignment,
                RecordReserve.fixed(count * 1_000L),
                1_000_000,
                100,
                10_000,
                50_000,
                fetchWaitMillis * 1_000_000L,
                MapRooms.guarding(() -> 4_096, 100),
                false);
    }

    private static TopicPartition id(int number) {
        return new TopicPartition("orders", number);
    }

    /** It has brought something, which is done, and has no more. */
    private void atEnd(int number) {
        poll(number, 1);
        finish(number, 1);
        consumer.lag(id(number), 0);
    }

    private void poll(int number, int records) {
        Partition partition = partitions.get(number);
        for (int i = 0; i < records; i++) {
            long offset = partition.position;
            Chunk chunk = new Chunk(List.of(Records.record(partition.id, offset, "k" + offset, 10)));
            flow.state(partition).returned(chunk);
            partition.append(chunk, new OffsetAndMetadata(offset + 1));
        }
    }

    private void finish(int number, int records) {
        machine.handle(partitions.get(number).track, records);
    }
}
