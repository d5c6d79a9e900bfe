package dev.laneway.stream;

import static dev.laneway.stream.SourceStage.LIMIT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.laneway.Health;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT) // It mostly waits.
@Timeout(120)
@DisplayName("A stage of a stream that can take no more, on a real broker")
class FullStagesTest {
    private static final int RECORDS = 2_000;
    private static final int RESERVE = 100;
    private static final int PARALLELISM = 16;

    private final SourceStage stage = new SourceStage(1);
    private final CountDownLatch released = new CountDownLatch(1);
    private final CompletableFuture<Boolean> answer = new CompletableFuture<>();

    /** The first record's call does not end before it is released: health says which stage is full, and why. */
    private void expect(String why, UnaryOperator<Source<CommittableRecord<String, String>>> stages) {
        stage.load(0, 0, RECORDS);
        ConsumerSettings<String, String> settings = stage.settings(Map.of("max.poll.interval.ms", 10_000));
        Control control = stages.apply(KafkaSource.committable(
                        settings.withLimits(settings.limits().withStuckLimit(Duration.ofSeconds(1))),
                        Subscription.topics(stage.topic)))
                .to(Committer.sink(CommitterSettings.DEFAULTS));
        await().atMost(LIMIT).until(() -> control.health().status() == Health.Status.DEGRADED);
        assertThat(control.health().reasons())
                .singleElement()
                .asString()
                .contains(stage.topic + "-0@0", why, "Look for what that stage waits for");
        released.countDown();
        answer.complete(true);
        await().atMost(LIMIT).until(() -> stage.committed(0) == RECORDS);
        await().atMost(LIMIT).until(() -> control.health().status() == Health.Status.UP);
        control.drainAndShutdown(LIMIT).toCompletableFuture().join();
    }

    @Test
    @DisplayName("B140 mapByKey holds what its reserve lets it, behind the keys whose calls run")
    void byKey() {
        expect(
                "mapByKey holds " + RESERVE + " elements, its reserve: they wait for the calls that run",
                source -> source.mapByKey(
                        PARALLELISM, RESERVE, record -> record.record().offset() < 1_000 ? 0 : 1, record -> {
                            if (record.record().offset() == 0) {
                                released.await();
                            }
                            return record;
                        }));
    }

    @Test
    @DisplayName("B140 mapAsync holds what its parallelism lets it, behind the oldest call")
    void async() {
        expect(
                "mapAsync holds " + PARALLELISM + " elements, its parallelism: the oldest call has not ended",
                source -> source.mapAsync(
                        PARALLELISM,
                        record -> record.record().offset() == 0
                                ? answer.thenApply(yes -> record)
                                : CompletableFuture.completedStage(record)));
    }

    @Test
    @DisplayName("B140 mapAsyncUnordered is full when none of its calls ends")
    void unordered() {
        expect(
                "mapAsyncUnordered holds " + PARALLELISM + " elements, its parallelism: none of their calls has ended",
                source -> source.mapAsyncUnordered(PARALLELISM, record -> answer.thenApply(yes -> record)));
    }
}
