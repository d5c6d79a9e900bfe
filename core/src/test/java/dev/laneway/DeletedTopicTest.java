package dev.laneway;

import static dev.laneway.Stage.LIMIT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Execution(ExecutionMode.CONCURRENT) // It mostly waits.
@Timeout(180)
@DisplayName("A topic that is deleted while it is read")
class DeletedTopicTest {
    private static final Duration SHORT = Duration.ofSeconds(1);
    /** A machine that is busy is so before the deletion, too; a client that repeats its commit takes a minute. */
    private static final int SLOWER = 5;

    @ParameterizedTest
    @CsvSource({"EAGER, async", "COOPERATIVE, sync", "CONSUMER, async"})
    @DisplayName("B109 a deleted topic whose progress is not committed silences no other, and stops nothing")
    void othersGoOn(Protocol protocol, String mode) throws Exception {
        Stage stage = Stage.of(2);
        String deleted = stage.topic + ".deleted";
        stage.kafka.createTopic(deleted, 3);
        Map<String, Object> config = new java.util.HashMap<>(protocol.config(Map.of()));
        config.put("metadata.max.age.ms", 500);
        AtomicInteger handled = new AtomicInteger();
        AtomicLong lastNanos = new AtomicLong(System.nanoTime());
        AtomicLong longestNanos = new AtomicLong();
        Duration interval = mode.equals("sync") ? Duration.ofSeconds(3) : Duration.ofHours(1);
        try (Laneway laneway = stage.consumer(config)
                .subscribe(stage.topic, deleted)
                .concurrency(1)
                .commit(mode.equals("sync") ? CommitMode.sync(interval) : CommitMode.async(interval))
                .process(record -> {
                    handled.incrementAndGet();
                    if (record.topic().equals(deleted)) {
                        return;
                    }
                    long now = System.nanoTime();
                    long gap = now - lastNanos.getAndSet(now);
                    longestNanos.accumulateAndGet(gap, Math::max);
                })) {
            for (int i = 0; i < 20; i++) {
                stage.kafka.produce(deleted, "key-" + i, "value");
                stage.kafka.produce(stage.topic, "key-" + i, "value");
            }
            await().atMost(LIMIT).until(() -> handled.get() >= 40);
            lastNanos.set(System.nanoTime());
            longestNanos.set(0);
            AtomicInteger produced = new AtomicInteger(40);
            long since = System.nanoTime();
            await().pollInterval(Duration.ofMillis(20)).atMost(LIMIT).until(() -> {
                stage.kafka.produce(stage.topic, "key", "value");
                produced.incrementAndGet();
                return System.nanoTime() - since > 3_000_000_000L;
            });
            await().atMost(LIMIT).until(() -> handled.get() >= produced.get());
            Duration before = Duration.ofNanos(longestNanos.get());
            lastNanos.set(System.nanoTime());
            longestNanos.set(0);
            stage.kafka.admin().deleteTopics(List.of(deleted)).all().get();
            await().pollInterval(Duration.ofMillis(20))
                    .atMost(Duration.ofMinutes(2))
                    .until(() -> {
                        stage.kafka.produce(stage.topic, "key", "value");
                        produced.incrementAndGet();
                        return laneway.assignment().size() == 2;
                    });
            await().atMost(LIMIT).until(() -> handled.get() >= produced.get());
            Duration slower = before.multipliedBy(SLOWER);
            assertThat(Duration.ofNanos(longestNanos.get()))
                    .as("silence of the other topic, which was %s before", before)
                    .isLessThan(slower.compareTo(SHORT) > 0 ? slower : SHORT);
            assertThat(laneway.state()).isEqualTo(State.RUNNING);
        }
        assertThat(stage.isCommittedToEnd()).isTrue();
    }
}
