package dev.laneway;

import static dev.laneway.Stage.LIMIT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Execution(ExecutionMode.CONCURRENT) // It mostly waits.
@Timeout(120)
@DisplayName("Snapshot and health")
class HealthTest {

    /** A listener that hangs in the first assignment until it is released. */
    private static final class Hanging implements RebalanceListener {
        final CountDownLatch reached = new CountDownLatch(1);
        final CountDownLatch released = new CountDownLatch(1);

        @Override
        public void onAssigned(RestrictedConsumer consumer, Collection<TopicPartition> partitions) {
            reached.countDown();
            try {
                released.await();
            } catch (InterruptedException end) {
                throw new IllegalStateException(end);
            }
        }
    }

    @Test
    @DisplayName("B116 snapshot and health answer while a rebalance listener hangs, and say how old that is")
    void whileTheOwnerHangs() throws Exception {
        Stage stage = Stage.of(1);
        Hanging listener = new Hanging();
        try (Laneway laneway = stage.consumer().onRebalance(listener).process(_ -> {})) {
            try {
                assertThat(listener.reached.await(LIMIT.toSeconds(), TimeUnit.SECONDS))
                        .isTrue();
                Snapshot snapshot =
                        CompletableFuture.supplyAsync(laneway::snapshot).get(LIMIT.toSeconds(), TimeUnit.SECONDS);
                assertThat(snapshot.partitions()).hasSize(1);
                Health health = CompletableFuture.supplyAsync(laneway::health).get(LIMIT.toSeconds(), TimeUnit.SECONDS);
                assertThat(health.age()).isPositive();
                await().atMost(LIMIT)
                        .until(() -> laneway.snapshot().age().compareTo(Duration.ofSeconds(3)) > 0
                                && laneway.health().age().compareTo(Duration.ofSeconds(3)) > 0);
            } finally {
                listener.released.countDown();
            }
            await().atMost(LIMIT).until(() -> laneway.snapshot().age().compareTo(Duration.ofSeconds(2)) < 0);
        }
    }

    @ParameterizedTest(name = "{displayName}: {0}")
    @ValueSource(strings = {"classic", "consumer"})
    @DisplayName("B116 the lag follows the log's end and what is done, for as long as snapshots are taken")
    void lag(String protocol) {
        Stage stage = Stage.of(70); // More than are asked in one turn.
        stage.load(1_000, i -> "key-" + i);
        AtomicReference<CountDownLatch> gate = new AtomicReference<>(new CountDownLatch(1));
        try (Laneway laneway = stage.consumer(Map.of("group.protocol", protocol))
                .process(_ -> gate.get().await())) {
            await().atMost(LIMIT).until(() -> lag(laneway) == 1_000);
            gate.get().countDown();
            await().atMost(LIMIT).until(() -> lag(laneway) == 0);
            gate.set(new CountDownLatch(1));
            stage.load(1_000, i -> "key-" + i);
            await().atMost(LIMIT).until(() -> lag(laneway) == 1_000);
            gate.get().countDown();
        }
    }

    private static long lag(Laneway laneway) {
        Snapshot snapshot = laneway.snapshot();
        return snapshot.partitions().stream().anyMatch(one -> one.lag().isEmpty())
                ? -1
                : snapshot.partitions().stream()
                        .mapToLong(one -> one.lag().getAsLong())
                        .sum();
    }
}
