package dev.laneway;

import static dev.laneway.Stage.LIMIT;
import static dev.laneway.Stage.millis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.laneway.stream.CommitterSettings;
import dev.laneway.stream.ConsumerSettings;
import dev.laneway.stream.KafkaSource;
import dev.laneway.testkit.EmbeddedKafka;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A broker that forgets offsets of groups without members after a minute. */
@Execution(ExecutionMode.CONCURRENT) // It mostly waits.
@Timeout(300)
@DisplayName("Offsets on a broker that forgets them soon")
class CommitRefreshTest {
    private static EmbeddedKafka kafka;

    @BeforeAll
    static void start() {
        kafka = EmbeddedKafka.builder()
                .property("offsets.retention.minutes", "1")
                .property("offsets.retention.check.interval.ms", "1000")
                .start();
    }

    @AfterAll
    static void stop() {
        kafka.close();
    }

    @Test
    @DisplayName("B102 a quiet partition that was assigned by hand keeps its offset while its consumer runs")
    void isNotForgotten() {
        Stage quiet = Stage.on(kafka, 1);
        quiet.load(10, i -> "key");
        Stage forgotten = Stage.on(kafka, 1);
        try (Laneway laneway =
                assigned(quiet).commitRefresh(Duration.ofSeconds(5)).process(record -> {})) {
            await().atMost(LIMIT).until(() -> quiet.committed(0) == 10);
            forgotten.commit(0, 7, ""); // Committed later, and never again.
            await().atMost(Duration.ofMinutes(4)).until(() -> forgotten.committed(0) == -1);
            assertThat(quiet.committed(0)).isEqualTo(10);
            assertThat(laneway.state()).isEqualTo(State.RUNNING);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"async", "sync", "ahead", "exactly once", "a stream"})
    @DisplayName("B102 unchanged progress is committed again in every mode")
    void inEveryMode(String mode) throws Exception {
        try (EmbeddedKafka own = EmbeddedKafka.start()) {
            Stage stage = Stage.on(own, 1);
            stage.load(10, i -> "key");
            try (AutoCloseable _ = consuming(stage, mode)) {
                await().atMost(LIMIT).until(() -> stage.committed(0) == 10);
                long commits = commits(own);
                await().atMost(LIMIT).until(() -> commits(own) >= commits + 3);
                assertThat(stage.committed(0)).isEqualTo(10);
            }
        }
    }

    private static AutoCloseable consuming(Stage stage, String mode) {
        if (mode.equals("a stream")) {
            var control = KafkaSource.committable(
                            ConsumerSettings.of(
                                            stage.config(Map.of()), new StringDeserializer(), new StringDeserializer())
                                    .withCommitRefresh(millis(300))
                                    .withCloseOnShutdown(false),
                            dev.laneway.stream.Subscription.assignment(stage.partition(0)))
                    .to(dev.laneway.stream.Committer.sink(CommitterSettings.DEFAULTS));
            return () -> control.drainAndShutdown(Duration.ofSeconds(10))
                    .toCompletableFuture()
                    .join();
        }
        CommitMode commit = switch (mode) {
            case "async" -> CommitMode.async(millis(50));
            case "sync" -> CommitMode.sync(millis(50));
            case "ahead" -> CommitMode.ahead();
            default -> CommitMode.exactlyOnce(stage.topic).withInterval(millis(50));
        };
        return assigned(stage).commit(commit).commitRefresh(millis(300)).process(record -> {});
    }

    private static LanewayBuilder<String, String> assigned(Stage stage) {
        return Laneway.consumer(stage.config(Map.of()))
                .deserializers(new StringDeserializer(), new StringDeserializer())
                .assign(List.of(new TopicPartition(stage.topic, 0)))
                .closeOnShutdown(false);
    }

    /** How many records the broker keeps for commits; only this test commits there. */
    private static long commits(EmbeddedKafka broker) {
        return broker.endOffsets("__consumer_offsets").values().stream()
                .mapToLong(Long::longValue)
                .sum();
    }
}
