package dev.laneway.orders;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.laneway.orders.status.OrderEvent.Paid;
import dev.laneway.orders.status.OrderJson;
import dev.laneway.orders.status.OrderState;
import dev.laneway.testkit.EmbeddedKafka;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class StateReaderTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final OwnTopics OWN = OwnTopics.of("app");

    private static ProducerRecord<byte[], byte[]> state(String order, byte[] value) {
        return new ProducerRecord<>(OWN.state(), 0, order.getBytes(StandardCharsets.UTF_8), value);
    }

    private static byte[] paid() {
        return OrderJson.bytes(OrderState.of(List.of(new Paid(1))));
    }

    private static CompletableFuture<PartitionOrders> read(EmbeddedKafka kafka) {
        StateReader reader = new StateReader(
                Map.of("bootstrap.servers", kafka.bootstrapServers()), "app", OWN, Duration.ofMinutes(10), () -> 1_000);
        CompletableFuture<PartitionOrders> orders = new CompletableFuture<>();
        Thread.ofPlatform().daemon().start(() -> reader.read(Map.of(0, orders)));
        return orders;
    }

    @Test
    @DisplayName(
            "B202 the next owner reads all that is committed, waits while that is not decided, and nothing aborted")
    void waits() throws Exception {
        try (EmbeddedKafka kafka = EmbeddedKafka.start()) {
            kafka.createTopic(OWN.events(), 1);
            kafka.createTopic(OWN.state(), 1);
            try (Producer<byte[], byte[]> producer = kafka.producer(Map.of("transactional.id", "former"));
                    Consumer<byte[], byte[]> member = kafka.consumer(Map.of("group.id", "app"))) {
                producer.initTransactions();
                producer.beginTransaction();
                var _ = producer.send(state("aborted", paid()));
                producer.flush();
                producer.abortTransaction();

                producer.beginTransaction();
                var _ = producer.send(state("forgotten", paid()));
                var _ = producer.send(state("forgotten", null));
                var _ = producer.send(state("committed", paid()));
                producer.sendOffsetsToTransaction(
                        Map.of(new TopicPartition(OWN.events(), 0), new OffsetAndMetadata(3)), member.groupMetadata());
                producer.flush();
                CompletableFuture<PartitionOrders> reading = read(kafka);
                Awaitility.await().during(Duration.ofSeconds(2)).atMost(LIMIT).until(() -> !reading.isDone());
                producer.commitTransaction();
                Awaitility.await().atMost(LIMIT).until(reading::isDone);
                assertThat(reading.get().size()).isEqualTo(1);
                assertThat(reading.get().apply("committed", new Paid(1)).state())
                        .isEqualTo(OrderState.of(List.of(new Paid(1))));
            }
        }
    }

    @Test
    @DisplayName("B202 the next owner waits for a former one that is about to commit, before it has written any state")
    void waitsForOffsets() throws Exception {
        try (EmbeddedKafka kafka = EmbeddedKafka.start()) {
            kafka.createTopic(OWN.events(), 1);
            kafka.createTopic(OWN.state(), 1);
            try (Producer<byte[], byte[]> producer = kafka.producer(Map.of("transactional.id", "former"));
                    Consumer<byte[], byte[]> member = kafka.consumer(Map.of("group.id", "app"))) {
                producer.initTransactions();
                producer.beginTransaction();
                producer.sendOffsetsToTransaction(
                        Map.of(new TopicPartition(OWN.events(), 0), new OffsetAndMetadata(1)), member.groupMetadata());
                CompletableFuture<PartitionOrders> reading = read(kafka);
                Awaitility.await().during(Duration.ofSeconds(2)).atMost(LIMIT).until(() -> !reading.isDone());
                var _ = producer.send(state("committed", paid()));
                producer.commitTransaction();
                Awaitility.await().atMost(LIMIT).until(reading::isDone);
                assertThat(reading.get().size()).isEqualTo(1);
            }
        }
    }

    @Test
    @DisplayName("B202 a record that is no state ends the tracker, and says where it is")
    void refuses() throws Exception {
        try (EmbeddedKafka kafka = EmbeddedKafka.start()) {
            kafka.createTopic(OWN.events(), 1);
            kafka.createTopic(OWN.state(), 1);
            kafka.produce(List.of(state("a", paid()), state("b", new byte[] {1})));
            CompletableFuture<PartitionOrders> reading = read(kafka);
            Awaitility.await().atMost(LIMIT).until(reading::isDone);
            assertThatThrownBy(reading::get).hasMessageContaining("app-state-0 has no state at offset 1");
        }
    }
}
