package dev.laneway.testkit.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.testkit.GroupKind;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What only the simulation can show: whole groups over virtual hours, faults, and the same hash for the same seed. */
@DisplayName("Simulated cluster")
class SimClusterTest {
    private static final int PARTITIONS = 6;
    private static final int RECORDS = 600;

    @ParameterizedTest(name = "{0}")
    @EnumSource(GroupKind.class)
    @DisplayName(
            "members come, go, die and are thrown out under faults: every record is read, and a seed repeats its run")
    void churn(GroupKind kind) {
        for (long seed = 1; seed <= 20; seed++) {
            long hash = Simulation.run(seed, sim -> churn(sim, kind));
            assertThat(Simulation.run(seed, sim -> churn(sim, kind)))
                    .as("seed %d", seed)
                    .isEqualTo(hash);
        }
    }

    private static void churn(Simulation sim, GroupKind kind) {
        sim.broker().createTopic("t", PARTITIONS);
        for (int i = 0; i < RECORDS; i++) {
            sim.broker().append("t", i % PARTITIONS, null, Integer.toString(i).getBytes(StandardCharsets.UTF_8));
        }
        sim.faults()
                .latency(Duration.ZERO, Duration.ofMillis(20))
                .randomly(SimOp.COMMIT, 0.05, Faults.Action.loseResponse())
                .randomly(SimOp.FETCH, 0.05, Faults.Action.loseRequest())
                .randomly(SimOp.HEARTBEAT, 0.02, Faults.Action.delay(Duration.ofSeconds(1)))
                .randomOutages(Duration.ofSeconds(30), Duration.ofSeconds(3))
                .randomRebalances("g", Duration.ofSeconds(20))
                .randomEvictions("g", Duration.ofSeconds(25));
        Map<TopicPartition, Set<Long>> read = new TreeMap<>(SimBroker.PARTITIONS);
        List<SimConsumer> members = new ArrayList<>();
        for (int round = 0; round < 400; round++) {
            if (round % 40 == 0 && members.size() < 3) {
                members.add(join(sim, kind));
            } else if (round % 97 == 0) {
                members.removeFirst().kill();
            }
            members.forEach(member -> work(sim, member, read));
            sim.pass(Duration.ofMillis(200));
        }
        sim.faults().heal();
        for (int round = 0;
                round < 2_000 && read.values().stream().mapToInt(Set::size).sum() < RECORDS;
                round++) {
            members.forEach(member -> work(sim, member, read));
            sim.pass(Duration.ofMillis(200));
        }
        assertThat(read.values().stream().mapToInt(Set::size).sum()).isEqualTo(RECORDS);
        members.forEach(SimConsumer::close);
        // Those that were killed stay until their sessions end.
        sim.pass(Duration.ofMinutes(2));
        assertThat(sim.broker().members("g")).isEmpty();
    }

    private static SimConsumer join(Simulation sim, GroupKind kind) {
        SimConsumer consumer = sim.broker().consumer(kind.with(Map.of("group.id", "g", "max.poll.records", 7)));
        consumer.subscribe(List.of("t"));
        return consumer;
    }

    private static void work(Simulation sim, SimConsumer member, Map<TopicPartition, Set<Long>> read) {
        for (ConsumerRecord<byte[], byte[]> record : member.poll(Duration.ZERO)) {
            TopicPartition partition = new TopicPartition(record.topic(), record.partition());
            read.computeIfAbsent(partition, p -> new TreeSet<>()).add(record.offset());
            sim.trace().event("read", partition, record.offset());
            member.commitAsync(Map.of(partition, new OffsetAndMetadata(record.offset() + 1)), (offsets, error) -> {});
        }
    }
}
