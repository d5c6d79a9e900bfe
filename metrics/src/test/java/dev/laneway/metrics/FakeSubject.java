package dev.laneway.metrics;

import dev.laneway.Counters;
import dev.laneway.Health;
import dev.laneway.LanewayObserver;
import dev.laneway.PartitionSnapshot;
import dev.laneway.PauseReason;
import dev.laneway.Snapshot;
import dev.laneway.State;
import dev.laneway.Utilisation;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.TopicPartition;

/** A consumer that is said to have these partitions, each with figures of its own. */
final class FakeSubject implements LanewayObserver.Subject {
    private final String name;
    volatile List<TopicPartition> partitions = List.of();
    volatile State state = State.RUNNING;

    FakeSubject(String name) {
        this.name = name;
    }

    static List<TopicPartition> partitions(int from, int to) {
        return IntStream.range(from, to)
                .mapToObj(number -> new TopicPartition("orders", number))
                .toList();
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Optional<String> group() {
        return Optional.of("shop");
    }

    @Override
    public Snapshot snapshot() {
        return new Snapshot(
                state,
                partitions.stream().map(FakeSubject::partition).toList(),
                new Counters(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16),
                new Utilisation(3_000, 1_000, 1_000, 17),
                18,
                19,
                20,
                21,
                22,
                Duration.ofMillis(500));
    }

    private static PartitionSnapshot partition(TopicPartition id) {
        int number = id.partition();
        return new PartitionSnapshot(
                id,
                1,
                OptionalLong.of(100 + number),
                100 + number,
                200,
                OptionalLong.of(50 + number),
                number,
                1_000,
                2 * number,
                3 * number,
                number == 1,
                false,
                OptionalLong.of(100),
                Optional.of(Duration.ofSeconds(number)),
                number == 1 ? Optional.of(PauseReason.SHARE_FULL) : Optional.empty(),
                0,
                number,
                10L * number);
    }

    @Override
    public Health health() {
        return new Health(Health.Status.DEGRADED, List.of(Health.Cause.STUCK_KEY.reason("slow")));
    }

    @Override
    public Map<MetricName, Metric> clientMetrics() {
        return Map.of();
    }
}
