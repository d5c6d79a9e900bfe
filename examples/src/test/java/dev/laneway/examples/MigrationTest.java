package dev.laneway.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.laneway.Laneway;
import dev.laneway.testkit.EmbeddedKafka;
import io.smallrye.mutiny.Uni;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.CloseOptions;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The programs of docs/coming-from, theirs and ours, one after the other in the same group: theirs handles the first
 * half of a topic and stops, ours handles the second half and nothing twice.
 */
@Timeout(180)
class MigrationTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final int HALF = 20;
    private static final String BAD = "record-7";

    private final EmbeddedKafka kafka = EmbeddedKafka.shared();
    private final Collection<String> handled = new ConcurrentLinkedQueue<>();

    private Map<String, Object> config(String group) {
        return Map.of(
                "bootstrap.servers", kafka.bootstrapServers(), "group.id", group, "auto.offset.reset", "earliest");
    }

    private void send(String topic, int from) {
        List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>();
        for (int i = from; i < from + HALF; i++) {
            records.add(new ProducerRecord<>(
                    topic,
                    ("key-" + i % 4).getBytes(StandardCharsets.UTF_8),
                    ("record-" + i).getBytes(StandardCharsets.UTF_8)));
        }
        kafka.produce(records);
    }

    private void awaitCommitted(String group, String topic, long offset) {
        await().atMost(LIMIT).until(() -> committed(group, topic) == offset);
    }

    private long committed(String group, String topic) {
        OffsetAndMetadata offset = kafka.committed(group).get(new TopicPartition(topic, 0));
        return offset == null ? 0 : offset.offset();
    }

    private static List<String> records(int from, int to) {
        return IntStream.range(from, to).mapToObj(i -> "record-" + i).toList();
    }

    @Test
    @DisplayName("Spring Kafka: the same dead letters, and the group goes on where the listener stopped")
    void spring() throws Exception {
        kafka.createTopic("parcels", 1);
        kafka.createTopic("parcels-dlt", 1);
        send("parcels", 0);
        try (var _ = SpringProgram.start(config("depot"), this::ship)) {
            awaitCommitted("depot", "parcels", HALF);
        }
        assertThat(handled).hasSize(HALF - 1).doesNotContain(BAD);
        assertThat(values("parcels-dlt")).containsExactly(BAD);

        handled.clear();
        send("parcels", HALF);
        kafka.produce("parcels", "key", BAD);
        try (Laneway _ = SpringMigration.start(config("depot"), this::ship)) {
            awaitCommitted("depot", "parcels", 2 * HALF + 1);
        }
        assertThat(handled).containsExactlyInAnyOrderElementsOf(records(HALF, 2 * HALF));
        assertThat(values("parcels-dlt")).containsExactly(BAD, BAD);
    }

    private void ship(String parcel) {
        if (parcel.equals(BAD)) {
            throw new IllegalStateException("no such street");
        }
        handled.add(parcel);
    }

    @Test
    @DisplayName("SmallRye: the group goes on where the bean stopped")
    void smallRye() throws Exception {
        kafka.createTopic("readings", 1);
        send("readings", 0);
        try (var _ = SmallRyeProgram.start(config("greenhouse"), this::storeReading)) {
            awaitCommitted("greenhouse", "readings", HALF);
        }
        assertThat(handled).containsExactlyInAnyOrderElementsOf(records(0, HALF));

        handled.clear();
        send("readings", HALF);
        try (Laneway _ = SmallRyeMigration.start(config("greenhouse"), this::storeReading)) {
            awaitCommitted("greenhouse", "readings", 2 * HALF);
        }
        assertThat(handled).containsExactlyInAnyOrderElementsOf(records(HALF, 2 * HALF));
    }

    private Uni<Void> storeReading(String plot, String reading) {
        return Uni.createFrom().voidItem().invoke(() -> handled.add(reading));
    }

    @Test
    @DisplayName("Vert.x: the client commits a record whose future is open, ours does not and goes on from there")
    void vertx() throws Exception {
        kafka.createTopic("meters", 1);
        send("meters", 0);
        Vertx vertx = Vertx.vertx();
        try {
            var consumer = VertxProgram.start(vertx, config("meters"), this::storeButNeverTheBad);
            awaitCommitted("meters", "meters", HALF);
            await().atMost(LIMIT).until(() -> handled.size() == HALF - 1);
            consumer.close().toCompletionStage().toCompletableFuture().get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        } finally {
            vertx.close().toCompletionStage().toCompletableFuture().get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        }
        assertThat(handled).doesNotContain(BAD);

        handled.clear();
        kafka.produce("meters", "key", BAD);
        send("meters", HALF);
        Laneway ours = VertxMigration.start(config("meters"), this::storeButNeverTheBad);
        await().atMost(LIMIT).until(() -> handled.size() == HALF);
        await().atMost(LIMIT)
                .until(() -> !kafka.committed("meters")
                        .get(new TopicPartition("meters", 0))
                        .metadata()
                        .isEmpty());
        ours.close(Duration.ofMillis(200));
        assertThat(committed("meters", "meters")).isEqualTo(HALF);

        handled.clear();
        try (Laneway _ = VertxMigration.start(config("meters"), this::store)) {
            awaitCommitted("meters", "meters", 2 * HALF + 1);
        }
        assertThat(handled).containsExactly(BAD);
    }

    private Future<Void> store(String house, String reading) {
        handled.add(reading);
        return Future.succeededFuture();
    }

    private Future<Void> storeButNeverTheBad(String house, String reading) {
        return reading.equals(BAD) ? Future.future(_ -> {}) : store(house, reading);
    }

    @Test
    @DisplayName("Kafka Streams: the same outputs, each once, and the group goes on where the topology stopped")
    void kafkaStreams(@TempDir Path state) {
        kafka.createTopic("clicks", 1);
        kafka.createTopic("sessions", 1);
        send("clicks", 0);
        kafka.produce("clicks", "key", "bot");
        try (var streams = KafkaStreamsProgram.start(config("sessions"), state.toString())) {
            awaitCommitted("sessions", "clicks", HALF + 1);
            streams.close(CloseOptions.groupMembershipOperation(CloseOptions.GroupMembershipOperation.LEAVE_GROUP));
        }
        send("clicks", HALF);
        kafka.produce("clicks", "key", "bot");
        try (Laneway _ = KafkaStreamsMigration.start(config("sessions"), "here")) {
            awaitCommitted("sessions", "clicks", 2 * HALF + 2);
        }
        assertThat(values("sessions"))
                .containsExactlyInAnyOrderElementsOf(records(0, 2 * HALF).stream()
                        .map(record -> "saw " + record)
                        .toList());
    }

    /** What a reader of committed records gets. */
    private List<String> values(String topic) {
        List<String> values = new ArrayList<>();
        TopicPartition partition = new TopicPartition(topic, 0);
        try (Consumer<byte[], byte[]> reader =
                kafka.consumer(Map.of("group.id", "reader-of-" + topic, "isolation.level", "read_committed"))) {
            reader.assign(List.of(partition));
            reader.seekToBeginning(List.of(partition));
            long end = reader.endOffsets(List.of(partition)).get(partition);
            while (reader.position(partition) < end) {
                reader.poll(Duration.ofMillis(100))
                        .forEach(record -> values.add(new String(record.value(), StandardCharsets.UTF_8)));
            }
        }
        return values;
    }
}
