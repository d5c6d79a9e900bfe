package dev.laneway;

import static dev.laneway.HealthFaultsTest.expect;
import static dev.laneway.Stage.LIMIT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.laneway.testkit.EmbeddedKafka;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.clients.consumer.RetriableCommitFailedException;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.CoordinatorNotAvailableException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** As {@link HealthFaultsTest}, with the same table: faults of partitions, offsets and commits. */
@Execution(ExecutionMode.CONCURRENT) // It mostly waits.
@Timeout(180)
@DisplayName("Faults of partitions, offsets and commits, and what health says of them")
class HealthFaultsOfBrokersTest {
    private static Laneway reader(EmbeddedKafka kafka, String group, Journal journal) {
        return Laneway.consumer(Map.of(
                        "bootstrap.servers",
                        kafka.bootstrapServers(),
                        "group.id",
                        group,
                        "auto.offset.reset",
                        "earliest"))
                .deserializers(new StringDeserializer(), new StringDeserializer())
                .subscribe("led")
                .closeOnShutdown(false)
                .process(journal.note(_ -> {}));
    }

    @Test
    @DisplayName("B114 a partition that loses its leader, and one that has none at the start")
    void leaderless() throws Exception {
        try (EmbeddedKafka kafka = EmbeddedKafka.builder().nodes(3).start()) {
            kafka.admin()
                    .createTopics(List.of(new NewTopic("led", Map.of(0, List.of(2), 1, List.of(1)))))
                    .all()
                    .get();
            kafka.awaitReady(LIMIT);
            for (int partition = 0; partition < 2; partition++) {
                kafka.produce(
                        List.of(new ProducerRecord<>("led", partition, Stage.bytes("key"), Stage.bytes("value"))));
            }
            Journal journal = new Journal();
            try (Laneway laneway = reader(kafka, "early", journal)) {
                await().atMost(LIMIT).until(() -> journal.size() == 2);
                kafka.stop(2);
                expect(
                        "a partition that loses its leader",
                        laneway::health,
                        Health.Status.DEGRADED,
                        "nothing of led-0 is fetched");
                try (Laneway late = reader(kafka, "late", new Journal())) {
                    expect(
                            "a partition without a leader at the start",
                            late::health,
                            Health.Status.DEGRADED,
                            "led-0] cannot start");
                }
                kafka.start(2);
                await().atMost(LIMIT.multipliedBy(2))
                        .until(() -> laneway.health().reasons().isEmpty());
            }
        }
    }

    @Test
    @DisplayName("B114 B108 a dead peer's open transaction")
    void openTransaction() throws IOException {
        Stage stage = Stage.of(2);
        try (Producer<byte[], byte[]> dead = stage.kafka.producer(
                        Map.of("transactional.id", "dead-" + stage.group, "transaction.timeout.ms", 600_000));
                Consumer<byte[], byte[]> group = stage.kafka.consumer(stage.group)) {
            dead.initTransactions();
            dead.beginTransaction();
            dead.sendOffsetsToTransaction(Map.of(stage.partition(0), new OffsetAndMetadata(0)), group.groupMetadata());
            try (Laneway laneway =
                    stage.consumer(Map.of("isolation.level", "read_committed")).process(_ -> {})) {
                expect(
                        "a dead peer's open transaction",
                        laneway::health,
                        Health.Status.DEGRADED,
                        stage.partition(0) + "] cannot start");
                dead.abortTransaction();
                await().atMost(LIMIT).until(() -> laneway.health().reasons().isEmpty());
            }
        }
    }

    @Test
    @DisplayName("B114 committed beyond the log's end, or nowhere, and auto.offset.reset is none")
    void noReset() throws IOException {
        Stage stage = Stage.of(1);
        stage.load(10, i -> "key");
        Map<String, String> none = Map.of("auto.offset.reset", "none");
        Laneway nowhere = stage.consumer(none).process(_ -> {});
        expect(
                "no committed offset, auto.offset.reset none",
                nowhere::health,
                Health.Status.DOWN,
                "a member has failed");
        stage.commit(0, 100, "");
        Laneway beyond = stage.consumer(none).process(_ -> {});
        expect(
                "committed beyond the log's end, auto.offset.reset none",
                beyond::health,
                Health.Status.DOWN,
                "a member has failed");
    }

    @Test
    @DisplayName("B114 B107 a dead letter that cannot be sent")
    void deadLetter() throws IOException {
        Stage stage = Stage.of(1);
        String letters = stage.topic + ".dlq";
        stage.kafka.createTopic(letters, 1, 1, Map.of("max.message.bytes", "200"));
        stage.load(1, i -> "key");
        Laneway laneway = stage.consumer()
                .onFailure(FailurePolicy.deadLetter(letters))
                .process(_ -> {
                    throw new IOException("connection refused");
                });
        expect("a dead letter that cannot be sent", laneway::health, Health.Status.DOWN, "a member has failed");
    }

    /** A client whose commits the group's coordinator does not take. */
    private static final class Uncommitted extends KafkaConsumer<byte[], byte[]> {
        private volatile boolean refuses = true;

        Uncommitted(Map<String, Object> config) {
            super(config, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        }

        @Override
        public void commitAsync(
                Map<TopicPartition, OffsetAndMetadata> offsets, @Nullable OffsetCommitCallback callback) {
            if (refuses && callback != null) {
                callback.onComplete(
                        offsets,
                        new RetriableCommitFailedException(
                                new CoordinatorNotAvailableException("The coordinator is not available.")));
            } else {
                super.commitAsync(offsets, callback);
            }
        }
    }

    @Test
    @DisplayName("B114 commits that fail")
    void commits() throws IOException {
        Stage stage = Stage.of(1);
        stage.load(10, i -> "key");
        Map<String, Object> config = stage.config(Map.of("enable.auto.commit", false));
        Uncommitted client = new Uncommitted(config);
        try (Laneway laneway = stage.strings(Laneway.consumer(config, () -> client))
                .commit(CommitMode.async(Duration.ofMillis(100)))
                .process(_ -> {})) {
            expect("commits that fail", laneway::health, Health.Status.DEGRADED, "no commit was confirmed");
            client.refuses = false;
            await().atMost(LIMIT).until(() -> laneway.health().reasons().isEmpty());
        }
        assertThat(stage.isCommittedToEnd()).isTrue();
    }
}
