package dev.laneway.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.Options;
import dev.laneway.RebalanceListener;
import dev.laneway.Workers;
import dev.laneway.engine.config.KafkaConfig;
import dev.laneway.engine.config.RecordBudget;
import dev.laneway.engine.config.TopicSelection;
import dev.laneway.engine.handle.HandlerSpec;
import dev.laneway.engine.runtime.HandHost;
import dev.laneway.engine.track.Assignment;
import dev.laneway.engine.track.Partition;
import dev.laneway.testkit.sim.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Who may fetch where the byte budget cannot take a chunk of each partition. */
class AdmissionTest {
    private static final int FETCH = 500;

    private final HandHost host = new HandHost();
    private final HandConsumer consumer = new HandConsumer();
    private final Assignment assignment = new Assignment();
    private final List<Partition> partitions = new ArrayList<>();

    private static Producer<byte[], byte[]> unexpected() {
        throw new IllegalStateException("nothing is sent here");
    }

    @Test
    @DisplayName("B25 the poll that brings partitions returns no more of them than the byte budget holds")
    void partitionsOfAPoll() {
        Simulation.run(1, sim -> {
            sim.broker().createTopic("orders", 4);
            for (int i = 0; i < 40; i++) {
                sim.broker().append("orders", i % 4, null, new byte[400]);
            }
            Map<String, Object> config = Map.of(
                    "group.id",
                    "shop",
                    "enable.auto.commit",
                    "false",
                    "auto.offset.reset",
                    "earliest",
                    "max.partition.fetch.bytes",
                    FETCH);
            Map<String, Object> described = new HashMap<>(config);
            described.put("max.poll.records", 100);
            described.put("fetch.max.bytes", 10 * FETCH);
            described.put("max.poll.interval.ms", 60_000);
            ByteArrayDeserializer bytes = new ByteArrayDeserializer();
            MemberWiring parts = MemberWiring.of(
                    new HandHost(),
                    Options.DEFAULTS.withBufferBytes(2 * FETCH),
                    new MemberWiring.Plan(
                            new MemberShare("member", Workers.virtual(), 1),
                            new TopicSelection.Topics(List.of("orders")),
                            new KafkaConfig(described, Map.of(), RecordBudget.fixed(1_000), 2 * FETCH, false, false),
                            Duration.ofSeconds(1)),
                    new HandlerSpec.Plain<>(bytes, bytes, record -> {}),
                    new RebalanceListener() {},
                    sim.broker().consumer(config),
                    () -> sim.broker().consumer(config),
                    AdmissionTest::unexpected,
                    number -> unexpected());
            Engine engine = new Engine(parts);
            engine.start();
            for (int turn = 0; turn < 10; turn++) {
                engine.step();
                assertThat(engine.turns().snapshot().heldBytes()).isLessThanOrEqualTo(2 * FETCH);
            }
            assertThat(engine.turns().snapshot().heldBytes()).isPositive();
        });
    }

    @Test
    @DisplayName("B31 a partition whose chunks leave no room for another gets its turn all the same")
    void largeChunksGetTheirTurn() {
        FlowControl flow = flow(5, 1_000, 20_000);
        flow.state(partitions.get(1)).largestChunkBytes = 10_500;
        int turns = 0;
        for (int i = 0; i < 60; i++) {
            flow.apply();
            turns += consumer.paused().contains(id(1)) ? 0 : 1;
        }
        assertThat(turns).isGreaterThanOrEqualTo(10);
    }

    @Test
    @DisplayName("B31 a client that fetches once in a round of turns fetches each partition")
    void turnsAreInStepWithNothing() {
        host.random = new Random(1);
        FlowControl flow = flow(4, 1_000, 20_000);
        var fetched = new HashSet<TopicPartition>();
        for (int turn = 0; turn < 2_000; turn++) {
            flow.apply();
            if (turn % 50 == 0) {
                Set<TopicPartition> now = new HashSet<>(assignment.ids());
                now.removeAll(consumer.paused());
                fetched.addAll(now);
            }
        }
        assertThat(fetched).hasSize(4);
    }

    @Test
    @DisplayName("B25 a fetch may return a record as large as any seen, whatever max.partition.fetch.bytes says")
    void recordsLargerThanAFetch() {
        FlowControl flow = flow(4, 1_000, 40_000);
        flow.saw(15_000);
        flow.apply();
        assertThat(consumer.paused()).hasSize(2);
    }

    @Test
    @DisplayName("B31 before anything is known, all fetch where a whole answer fits in")
    void allFetchAtTheStart() {
        FlowControl flow = flow(100, 1_000, 50_000);
        flow.apply();
        assertThat(consumer.paused()).isEmpty();
    }

    private FlowControl flow(int count, long records, long bytes) {
        ByteArrayDeserializer deserializer = new ByteArrayDeserializer();
        HandlerSpec handling = new HandlerSpec.Plain<>(deserializer, deserializer, record -> {});
        Machine machine = new Machine(host, Options.DEFAULTS, handling, consumer, null);
        for (int i = 0; i < count; i++) {
            partitions.add(machine.partition(id(i), 0));
        }
        assignment.add(partitions);
        consumer.assign(assignment.ids());
        return new FlowControl(
                host,
                consumer,
                assignment,
                RecordReserve.fixed(records),
                bytes,
                100,
                10_000,
                50_000,
                100_000_000,
                MapRooms.guarding(() -> 4_096, 100),
                false);
    }

    private static TopicPartition id(int number) {
        return new TopicPartition("orders", number);
    }
}
