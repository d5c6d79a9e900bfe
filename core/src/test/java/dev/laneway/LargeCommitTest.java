package dev.laneway;

import static dev.laneway.Stage.LIMIT;
import static dev.laneway.Stage.millis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.laneway.stream.Committer;
import dev.laneway.stream.CommitterSettings;
import dev.laneway.stream.ConsumerSettings;
import dev.laneway.stream.Control;
import dev.laneway.stream.KafkaSource;
import dev.laneway.stream.Subscription;
import dev.laneway.testkit.EmbeddedKafka;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(180)
@DisplayName("Commits that are larger than the topic of offsets takes at once")
class LargeCommitTest {
    private static final int PARTITIONS = 20;
    private static final int RECORDS = 1_000;
    private static final int EVERY = 13;

    @ParameterizedTest
    @ValueSource(strings = {"async", "sync", "exactly once"})
    @DisplayName("B110 the maps of many partitions are committed in several requests, and a restart runs the gaps only")
    void manyMaps(String mode) throws Exception {
        CommitMode commit = switch (mode) {
            case "async" -> CommitMode.async(millis(100));
            case "sync" -> CommitMode.sync(millis(100));
            default -> CommitMode.exactlyOnce("large").withInterval(millis(100));
        };
        try (EmbeddedKafka kafka =
                EmbeddedKafka.builder().property("message.max.bytes", "2000").start()) {
            Stage stage = Stage.on(kafka, PARTITIONS);
            allowLargeBatches(stage);
            for (int i = 0; i < PARTITIONS; i++) {
                stage.loadInto(i, RECORDS, number -> "key-" + number);
            }
            int gaps = PARTITIONS
                    * (int) IntStream.range(0, RECORDS)
                            .filter(LargeCommitTest::isGap)
                            .count();
            CountDownLatch never = new CountDownLatch(1);
            try (Laneway laneway = stage.consumer()
                    .concurrency(2 * gaps)
                    .closeLimit(Duration.ZERO)
                    .commit(commit)
                    .process(record -> {
                        if (isGap(record.offset())) {
                            never.await();
                        }
                    })) {
                await().atMost(LIMIT)
                        .untilAsserted(
                                () -> assertThat(laneway.snapshot().counters().processed())
                                        .as("done, %s", laneway.health())
                                        .isEqualTo(PARTITIONS * RECORDS - gaps));
                await().atMost(LIMIT)
                        .until(() -> IntStream.range(0, PARTITIONS)
                                .allMatch(partition -> stage.committed(partition) == 5
                                        && stage.metadata(partition).length() > 20));
                assertThat(laneway.state()).isEqualTo(State.RUNNING);
            }
            AtomicInteger again = new AtomicInteger();
            try (Laneway _ = stage.consumer().process(record -> again.incrementAndGet())) {
                await().atMost(LIMIT).until(stage::isCommittedToEnd);
            }
            assertThat(again).hasValue(gaps);
        }
    }

    @Test
    @DisplayName("B110 250 partitions commit 4 KB of metadata each, eight times as much as one request may bring")
    void manyPartitions() throws Exception {
        int partitions = 250;
        String metadata = "x".repeat(4_096); // Brokers take no more, by default.
        try (EmbeddedKafka kafka =
                EmbeddedKafka.builder().property("message.max.bytes", "131072").start()) {
            Stage stage = Stage.on(kafka, partitions);
            kafka.produce(IntStream.range(0, partitions)
                    .mapToObj(i -> new ProducerRecord<>(stage.topic, i, Stage.bytes("key"), Stage.bytes("value")))
                    .toList());
            var settings = ConsumerSettings.of(
                            stage.config(Map.of()), new StringDeserializer(), new StringDeserializer())
                    .withCloseOnShutdown(false);
            Control control = KafkaSource.committable(settings, Subscription.topics(stage.topic), record -> metadata)
                    .to(Committer.sink(CommitterSettings.DEFAULTS));
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
            assertThat(kafka.committed(stage.group).values())
                    .hasSize(partitions)
                    .allMatch(committed -> committed.metadata().equals(metadata));
            assertThat(control.health().reasons()).isEmpty();
            control.stop();
            assertThat(control.completion()).succeedsWithin(LIMIT);
        }
    }

    /** The topic of offsets keeps the broker's limit. */
    private static void allowLargeBatches(Stage stage) throws Exception {
        var entry = new ConfigEntry("max.message.bytes", "1000000");
        stage.kafka
                .admin()
                .incrementalAlterConfigs(Map.of(
                        new ConfigResource(ConfigResource.Type.TOPIC, stage.topic),
                        List.of(new AlterConfigOp(entry, AlterConfigOp.OpType.SET))))
                .all()
                .get();
    }

    private static boolean isGap(long offset) {
        return offset % EVERY == 5;
    }
}
