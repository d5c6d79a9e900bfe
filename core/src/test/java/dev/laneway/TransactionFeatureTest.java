package dev.laneway;

import static dev.laneway.Stage.LIMIT;
import static dev.laneway.Stage.millis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.laneway.testkit.EmbeddedKafka;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.FeatureUpdate;
import org.apache.kafka.clients.admin.UpdateFeaturesOptions;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@DisplayName("Exactly-once and the feature transaction.version")
class TransactionFeatureTest {
    private static final String FEATURE = "transaction.version";
    private static final String TOLD = "the cluster has transaction.version 1 but exactly-once needs 2 (KIP-890)";

    /** The cluster is looked at four times as often. */
    private static final Duration HEALTH_LIMIT = Duration.ofSeconds(2);

    private final ListAppender<ILoggingEvent> logged = new ListAppender<>();

    @BeforeEach
    void listen() {
        EngineLog.listen(logged);
    }

    @AfterEach
    void leave() {
        EngineLog.leave(logged);
    }

    private long times(Level level, String words) {
        return List.copyOf(logged.list).stream()
                .filter(event ->
                        event.getLevel() == level && event.getFormattedMessage().contains(words))
                .count();
    }

    private static void set(EmbeddedKafka kafka, int level, FeatureUpdate.UpgradeType how) throws Exception {
        var _ = kafka.admin()
                .updateFeatures(Map.of(FEATURE, new FeatureUpdate((short) level, how)), new UpdateFeaturesOptions())
                .all()
                .get();
    }

    private static Laneway copying(LanewayBuilder<String, String> consumer, String out) {
        return consumer.healthLimit(HEALTH_LIMIT)
                .transform(
                        new StringSerializer(),
                        new StringSerializer(),
                        record -> List.of(new ProducerRecord<>(out, record.key(), record.value())));
    }

    private static boolean isTold(Laneway laneway) {
        return laneway.health().reasons().stream().anyMatch(reason -> reason.contains(TOLD));
    }

    @Tag("own-broker")
    @Test
    @DisplayName("B130 without transaction.version 2 exactly-once works, says what is at stake, and ends to say so")
    void older() throws Exception {
        try (EmbeddedKafka kafka = EmbeddedKafka.start()) {
            set(kafka, 1, FeatureUpdate.UpgradeType.SAFE_DOWNGRADE);
            Stage stage = Stage.on(kafka, 1);
            String out = stage.topic + ".out";
            kafka.createTopic(out, 1);
            stage.load(20, i -> "key");
            CommitMode.ExactlyOnce mode = CommitMode.exactlyOnce(stage.topic).withInterval(millis(20));
            try (Laneway laneway = copying(stage.consumer().commit(mode), out);
                    Laneway plain = stage.withGroupOfItsOwn()
                            .consumer()
                            .healthLimit(HEALTH_LIMIT)
                            .process(record -> {})) {
                await().atMost(LIMIT).until(() -> isTold(laneway) && stage.isCommittedToEnd());
                assertThat(laneway.health().status()).isEqualTo(Health.Status.UP);
                assertThat(Stage.readCommitted(kafka, out)).hasSize(20);
                // Checked repeatedly, logged once.
                await().pollDelay(millis(1_500)).atMost(LIMIT).until(() -> isTold(laneway));
                assertThat(times(Level.WARN, TOLD)).isEqualTo(1);
                assertThat(plain.health().reasons()).isEmpty();
                set(kafka, 2, FeatureUpdate.UpgradeType.UPGRADE);
                await().atMost(LIMIT).until(() -> laneway.health().reasons().isEmpty());
                await().atMost(LIMIT).until(() -> times(Level.INFO, "the cluster has transaction.version 2 now") == 1);
            }
        }
    }

    @Test
    @DisplayName("B130 a cluster that does not answer neither stops the start nor is told to lack the feature")
    void noAnswer() {
        Stage stage = Stage.of(1);
        LanewayBuilder<String, String> lost = stage.consumer(Map.of("bootstrap.servers", "127.0.0.1:1"))
                .closeLimit(millis(100))
                .brokerLimit(Duration.ofSeconds(1))
                .exactlyOnce(stage.topic);
        try (Laneway laneway = copying(lost, "out")) {
            await().atMost(LIMIT).until(() -> laneway.health().status() == Health.Status.DOWN);
            assertThat(laneway.health().reasons()).noneMatch(reason -> reason.contains(FEATURE));
        }
        assertThat(times(Level.WARN, FEATURE)).isZero();
    }

    @Test
    @DisplayName("B130 nothing is said where the cluster has it")
    void fit() {
        Stage stage = Stage.of(1);
        stage.kafka.createTopic(stage.topic + ".out", 1);
        stage.load(1, i -> "key");
        try (Laneway laneway = copying(stage.consumer().exactlyOnce(stage.topic), stage.topic + ".out")) {
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
            await().pollDelay(millis(1_200))
                    .atMost(LIMIT)
                    .until(() -> laneway.health().reasons().isEmpty());
        }
        assertThat(times(Level.WARN, FEATURE)).isZero();
    }
}
