package dev.laneway;

import static dev.laneway.Stage.LIMIT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.laneway.testkit.EmbeddedKafka;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Execution(ExecutionMode.CONCURRENT) // It mostly waits.
@Timeout(240)
@DisplayName("Partitions that cannot start, on a real broker")
class StartingTest {
    private static List<String> reasons(Laneway laneway) {
        return laneway.health().reasons();
    }

    private static void awaitReason(Laneway laneway, String... words) {
        await().atMost(LIMIT)
                .untilAsserted(() -> assertThat(reasons(laneway))
                        .anySatisfy(reason -> assertThat(reason).contains(words)));
        assertThat(laneway.health().status()).isEqualTo(Health.Status.DEGRADED);
        assertThat(laneway.state()).isEqualTo(State.RUNNING);
    }

    @Test
    @DisplayName("B104 a partition without a leader waits and is told of, the others are read, no member stops")
    void withoutLeader() throws Exception {
        try (EmbeddedKafka kafka = EmbeddedKafka.builder().nodes(3).start()) {
            kafka.admin()
                    .createTopics(List.of(new NewTopic("led", Map.of(0, List.of(2), 1, List.of(1)))))
                    .all()
                    .get();
            kafka.awaitReady(LIMIT);
            load(kafka, 0, 5);
            kafka.stop(2);
            List<Journal> journals = new ArrayList<>();
            List<Laneway> members = new ArrayList<>();
            try {
                for (Protocol protocol : List.of(Protocol.EAGER, Protocol.CONSUMER)) {
                    Journal journal = new Journal();
                    journals.add(journal);
                    members.add(Laneway.consumer(protocol.config(Map.of(
                                    "bootstrap.servers",
                                    kafka.bootstrapServers(),
                                    "group.id",
                                    "led-" + protocol,
                                    "auto.offset.reset",
                                    "earliest")))
                            .deserializers(new StringDeserializer(), new StringDeserializer())
                            .subscribe("led")
                            .brokerLimit(Duration.ofSeconds(2))
                            .closeOnShutdown(false)
                            .process(journal.note(record -> {})));
                }
                load(kafka, 1, 20);
                for (int i = 0; i < members.size(); i++) {
                    Journal journal = journals.get(i);
                    await().atMost(LIMIT).until(() -> journal.offsets(1).size() == 20);
                    awaitReason(members.get(i), "led-0", "cannot start", "leaders");
                    assertThat(members.get(i).assignment()).hasSize(2);
                }
                load(kafka, 1, 20);
                for (Journal journal : journals) {
                    await().atMost(LIMIT).until(() -> journal.offsets(1).size() == 40);
                }
                kafka.start(2);
                for (int i = 0; i < members.size(); i++) {
                    Journal journal = journals.get(i);
                    Laneway member = members.get(i);
                    await().atMost(LIMIT).until(() -> journal.offsets(0).size() == 5);
                    await().atMost(LIMIT).until(() -> reasons(member).isEmpty());
                    assertThat(journal.repeated()).isEmpty();
                }
            } finally {
                members.forEach(Laneway::close);
            }
        }
    }

    private static void load(EmbeddedKafka kafka, int partition, int records) {
        List<ProducerRecord<byte[], byte[]>> batch = new ArrayList<>();
        for (int i = 0; i < records; i++) {
            batch.add(new ProducerRecord<>("led", partition, Stage.bytes("key-" + i), Stage.bytes("value")));
        }
        kafka.produce(batch);
    }

    @ParameterizedTest(name = "{displayName}: {0}")
    @EnumSource(Protocol.class)
    @DisplayName("B108 an open transaction of a dead peer holds up the partition whose offset is in it, and no other")
    void openTransaction(Protocol protocol) {
        Stage stage = Stage.of(2);
        stage.loadInto(0, 10, i -> "key-" + i);
        stage.loadInto(1, 10, i -> "key-" + i);
        try (Producer<byte[], byte[]> dead = stage.kafka.producer(Map.of("transactional.id", "dead-" + stage.group));
                Consumer<byte[], byte[]> group = stage.kafka.consumer(stage.group)) {
            dead.initTransactions();
            dead.beginTransaction();
            dead.sendOffsetsToTransaction(Map.of(stage.partition(0), new OffsetAndMetadata(4)), group.groupMetadata());
            Journal journal = new Journal();
            try (Laneway laneway = stage.consumer(protocol.config(Map.of("isolation.level", "read_committed")))
                    .brokerLimit(Duration.ofSeconds(2))
                    .process(journal.note(record -> {}))) {
                await().atMost(LIMIT).until(() -> journal.offsets(1).size() == 10);
                awaitReason(laneway, stage.partition(0).toString(), "transaction.timeout.ms");
                stage.loadInto(1, 10, i -> "key-" + i);
                await().atMost(LIMIT).until(() -> journal.offsets(1).size() == 20);
                assertThat(journal.offsets(0)).isEmpty();
                dead.commitTransaction();
                await().atMost(LIMIT).until(() -> journal.offsets(0).size() == 6);
                await().atMost(LIMIT).until(() -> reasons(laneway).isEmpty());
                assertThat(journal.offsets(0)).containsExactlyInAnyOrder(4L, 5L, 6L, 7L, 8L, 9L);
            }
        }
    }

    @ParameterizedTest(name = "{displayName}: {0}")
    @EnumSource(value = Protocol.class, names = "COOPERATIVE", mode = EnumSource.Mode.EXCLUDE)
    @DisplayName("B104 B113 a committed leader epoch that the topic has not reached is told of; the others are read")
    void epochOfTheFuture(Protocol protocol) throws Exception {
        Stage stage = Stage.of(2);
        stage.loadInto(0, 10, i -> "key-" + i);
        stage.loadInto(1, 10, i -> "key-" + i);
        TopicPartition restored = stage.partition(0);
        stage.kafka
                .admin()
                .alterConsumerGroupOffsets(stage.group, Map.of(restored, new OffsetAndMetadata(3, Optional.of(50), "")))
                .all()
                .get();
        Journal journal = new Journal();
        try (Laneway laneway = stage.consumer(protocol.config()).process(journal.note(record -> {}))) {
            await().atMost(LIMIT).until(() -> journal.offsets(1).size() == 10);
            awaitReason(laneway, restored.toString(), "leader epoch 50", "--reset-offsets");
            assertThat(journal.offsets(0)).isEmpty();
        }
    }
}
