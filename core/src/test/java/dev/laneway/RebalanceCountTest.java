package dev.laneway;

import static dev.laneway.Stage.LIMIT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.Collection;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Execution(ExecutionMode.CONCURRENT) // It mostly waits.
@Timeout(120)
@DisplayName("How rebalances are counted")
class RebalanceCountTest {
    /** Counts the calls of the listener. */
    private static final class Told implements RebalanceListener {
        private final AtomicInteger assigned = new AtomicInteger();

        @Override
        public void onAssigned(Collection<TopicPartition> partitions) {
            assigned.incrementAndGet();
        }
    }

    @ParameterizedTest(name = "{displayName}: {0}")
    @EnumSource(Protocol.class)
    @DisplayName("each assignment that Kafka tells of counts, one without partitions too")
    void withoutPartitions(Protocol protocol) {
        Stage stage = Stage.of(1);
        Told told = new Told();
        Laneway first = stage.consumer(protocol.config()).process(record -> {});
        await().atMost(LIMIT).until(() -> !first.assignment().isEmpty());
        try (Laneway second =
                stage.consumer(protocol.config()).onRebalance(told).process(record -> {})) {
            await().atMost(LIMIT).until(() -> told.assigned.get() == 1);
            assertThat(second.assignment()).isEmpty();
            assertThat(rebalances(second)).isEqualTo(1);
            first.close();
            await().atMost(LIMIT).until(() -> !second.assignment().isEmpty());
            await().atMost(LIMIT).until(() -> rebalances(second) == told.assigned.get());
            assertThat(rebalances(second)).isGreaterThan(1);
        } finally {
            first.close();
        }
    }

    private static long rebalances(Laneway laneway) {
        return laneway.snapshot().counters().rebalances();
    }
}
