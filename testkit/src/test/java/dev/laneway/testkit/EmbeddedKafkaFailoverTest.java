package dev.laneway.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.NotEnoughReplicasException;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Timeout(120)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@DisplayName("EmbeddedKafka, three brokers")
@Execution(ExecutionMode.CONCURRENT) // It mostly waits.
class EmbeddedKafkaFailoverTest {

    private static final Duration READY = Duration.ofSeconds(30);

    private EmbeddedKafka kafka;

    @BeforeAll
    void startCluster() {
        kafka = EmbeddedKafka.builder().nodes(3).start();
    }

    @AfterAll
    void closeCluster() {
        kafka.close();
    }

    @BeforeEach
    void everyNodeRuns() {
        for (int node = 1; node <= kafka.nodes(); node++) {
            if (!kafka.isRunning(node)) {
                kafka.start(node);
            }
        }
        kafka.awaitReady(READY);
    }

    @Test
    @Execution(ExecutionMode.SAME_THREAD)
    @DisplayName("a killed leader and coordinator: others take over, no acknowledged record and no commit is lost")
    void killedNode() {
        kafka.createTopic("kill", 3);
        kafka.produce(records("kill", 0, 300));
        TopicPartition partition = new TopicPartition("kill", 0);
        try (Consumer<byte[], byte[]> consumer = kafka.consumer("kill-group")) {
            consumer.subscribe(List.of("kill"));
            EmbeddedKafkaTest.read(consumer, 300);
            consumer.commitSync(Map.of(partition, new OffsetAndMetadata(7)));
            int victim = kafka.coordinator("kill-group").orElseThrow();

            kafka.kill(victim);

            assertThat(kafka.isRunning(victim)).isFalse();
            kafka.produce(records("kill", 300, 600));
            EmbeddedKafkaTest.read(consumer, 300);
            assertThat(kafka.coordinator("kill-group")).isNotEmpty().isNotEqualTo(OptionalInt.of(victim));
            assertThat(kafka.committed("kill-group").get(partition).offset()).isEqualTo(7);
            assertThat(total("kill")).isEqualTo(600);

            kafka.start(victim);
            kafka.awaitReady(READY);
            assertThat(total("kill")).isEqualTo(600);
        }
    }

    @Test
    @Execution(ExecutionMode.SAME_THREAD)
    @DisplayName("a topic asked for without a number of replicas has one on each node")
    void defaultReplication() {
        NewTopic topic = new NewTopic("replicated", Optional.of(1), Optional.empty());
        var created = kafka.admin().createTopics(List.of(topic));
        assertThat(Await.get("creating", created.replicationFactor("replicated")))
                .isEqualTo(3);
    }

    @Test
    @Execution(ExecutionMode.SAME_THREAD)
    @DisplayName("a stopped node hands its leadership over before it is gone, a killed one does not")
    void stopHandsOver() {
        kafka.createTopic("handover", 1);
        int first = kafka.leader("handover", 0).orElseThrow();
        kafka.stop(first);
        int second = kafka.leader("handover", 0).orElseThrow();
        assertThat(second).isNotEqualTo(first);

        kafka.kill(second);
        assertThat(kafka.leader("handover", 0))
                .as("the controller does not know yet")
                .hasValue(second);
        await().atMost(READY)
                .untilAsserted(() -> assertThat(kafka.leader("handover", 0)).isNotEqualTo(OptionalInt.of(second)));
    }

    @Test
    @Execution(ExecutionMode.SAME_THREAD)
    @DisplayName(
            "with two of three nodes down nothing is acknowledged that one death could lose; it goes on when one is"
                    + " back")
    void minimumInSync() {
        kafka.createTopic("minimum", 1);
        int leader = kafka.leader("minimum", 0).orElseThrow();
        int other = leader % 3 + 1;
        int third = other % 3 + 1;
        kafka.stop(other);
        kafka.stop(third);

        try (var producer =
                kafka.producer(Map.of("delivery.timeout.ms", 1_000, "request.timeout.ms", 500, "linger.ms", 0))) {
            var answer = producer.send(new ProducerRecord<>("minimum", "lost".getBytes(UTF_8)));
            assertThatThrownBy(() -> Await.get("sending", answer))
                    .isInstanceOfAny(NotEnoughReplicasException.class, TimeoutException.class);
        }
        kafka.start(other);
        assertThat(kafka.produce("minimum", null, "kept").hasOffset()).isTrue();
    }

    private long total(String topic) {
        return kafka.endOffsets(topic).values().stream()
                .mapToLong(Long::longValue)
                .sum();
    }

    private static List<ProducerRecord<byte[], byte[]>> records(String topic, int from, int to) {
        List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>();
        for (int i = from; i < to; i++) {
            byte[] number = Integer.toString(i).getBytes(UTF_8);
            records.add(new ProducerRecord<>(topic, number, number));
        }
        return records;
    }
}
