package dev.laneway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.Counters;
import dev.laneway.PartitionSnapshot;
import dev.laneway.Snapshot;
import dev.laneway.State;
import dev.laneway.Utilisation;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class IdlenessTest {
    private static final Duration AT_ONCE = Duration.ZERO;

    private final AtomicBoolean sharedOut = new AtomicBoolean(true);
    private final AtomicInteger questions = new AtomicInteger();
    private final Idleness idleness = new Idleness(() -> {
        questions.incrementAndGet();
        return sharedOut.get();
    });

    @Test
    @DisplayName("Nothing is idle while a partition that moves between members has no owner, nor before the limit")
    void waitsForPartitionsOnTheirWay() {
        sharedOut.set(false);
        assertThat(idleness.lasts(done(1), 0, AT_ONCE)).isFalse();
        sharedOut.set(true);
        assertThat(idleness.lasts(done(1), 0, AT_ONCE))
                .as("from here on it counts")
                .isFalse();
        assertThat(idleness.lasts(done(1), 0, Duration.ofHours(1))).isFalse();
        assertThat(idleness.lasts(done(1), 0, AT_ONCE)).isTrue();
    }

    @Test
    @DisplayName("Whether all have owners is asked again only after the assignment has changed")
    void asksAgainAfterAChange() {
        assertThat(idleness.lasts(done(1), 0, AT_ONCE)).isFalse();
        assertThat(idleness.lasts(done(1), 0, AT_ONCE)).isTrue();
        assertThat(questions).hasValue(1);
        sharedOut.set(false);
        assertThat(idleness.lasts(done(2), 0, AT_ONCE)).isFalse();
        assertThat(questions).hasValue(2);
    }

    @Test
    @DisplayName("A member without partitions, one with records left and one whose lag is not known are not idle")
    void knowsWork() {
        assertThat(idleness.lasts(snapshot(), 0, AT_ONCE)).isFalse();
        assertThat(idleness.lasts(snapshot(partition(0, 1, OptionalLong.of(0))), 0, AT_ONCE))
                .isFalse();
        assertThat(idleness.lasts(snapshot(partition(0, 0, OptionalLong.of(1))), 0, AT_ONCE))
                .isFalse();
        assertThat(idleness.lasts(snapshot(partition(0, 0, OptionalLong.empty())), 0, AT_ONCE))
                .isFalse();
        assertThat(questions).hasValue(0);
    }

    private static Snapshot done(int partitions) {
        return snapshot(IntStream.range(0, partitions)
                .mapToObj(number -> partition(number, 0, OptionalLong.of(0)))
                .toArray(PartitionSnapshot[]::new));
    }

    private static Snapshot snapshot(PartitionSnapshot... partitions) {
        return new Snapshot(
                State.RUNNING,
                List.of(partitions),
                new Counters(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
                new Utilisation(0, 0, 0, 0),
                0,
                0,
                0,
                0,
                0,
                Duration.ZERO);
    }

    private static PartitionSnapshot partition(int number, long held, OptionalLong lag) {
        return new PartitionSnapshot(
                new TopicPartition("in", number),
                1,
                OptionalLong.empty(),
                0,
                0,
                lag,
                held,
                0,
                0,
                0,
                false,
                false,
                OptionalLong.empty(),
                Optional.empty(),
                Optional.empty(),
                0,
                0,
                0);
    }
}
