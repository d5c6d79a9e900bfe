package dev.laneway.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.ShareConsumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
@DisplayName("EmbeddedKafka, its clients")
class EmbeddedKafkaTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    /** Polls until this many records have come. */
    static List<String> read(Consumer<byte[], byte[]> consumer, int count) {
        List<String> values = new ArrayList<>();
        await().atMost(LIMIT).until(() -> {
            for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(50))) {
                values.add(new String(record.value(), UTF_8));
            }
            return values.size() >= count;
        });
        return values;
    }

    private final EmbeddedKafka kafka = EmbeddedKafka.shared();

    @ParameterizedTest(name = "group.protocol={0}")
    @ValueSource(strings = {"classic", "consumer"})
    @DisplayName("both group protocols consume and commit with metadata")
    void groupProtocols(String protocol) {
        String topic = "protocols-" + protocol;
        kafka.createTopic(topic, 1);
        kafka.produce(topic, "k", "first");
        kafka.produce(topic, "k", "second");
        TopicPartition partition = new TopicPartition(topic, 0);

        try (Consumer<byte[], byte[]> consumer =
                kafka.consumer(Map.of("group.id", topic, "group.protocol", protocol))) {
            consumer.subscribe(List.of(topic));
            assertThat(read(consumer, 2)).containsExactly("first", "second");
            consumer.commitSync(Map.of(partition, new OffsetAndMetadata(1, "note")));
        }

        assertThat(kafka.committed(topic)).containsOnlyKeys(partition);
        assertThat(kafka.committed(topic).get(partition).offset()).isEqualTo(1);
        assertThat(kafka.committed(topic).get(partition).metadata()).isEqualTo("note");
        assertThat(kafka.coordinator(topic)).hasValue(1);
    }

    @Test
    @DisplayName("a transaction that commits is read, one that aborts is not, and both leave a marker")
    void transactions() {
        kafka.createTopic("transactions", 1);
        try (Producer<byte[], byte[]> producer = kafka.producer(Map.of("transactional.id", "transactions"))) {
            producer.initTransactions();
            producer.beginTransaction();
            Await.get("sending", producer.send(new ProducerRecord<>("transactions", "aborted".getBytes(UTF_8))));
            producer.abortTransaction();
            producer.beginTransaction();
            Await.get("sending", producer.send(new ProducerRecord<>("transactions", "committed".getBytes(UTF_8))));
            producer.commitTransaction();
        }
        try (Consumer<byte[], byte[]> consumer =
                kafka.consumer(Map.of("group.id", "transactions", "isolation.level", "read_committed"))) {
            consumer.subscribe(List.of("transactions"));
            assertThat(read(consumer, 1)).containsExactly("committed");
        }
        assertThat(kafka.endOffsets("transactions")).containsEntry(new TopicPartition("transactions", 0), 4L);
    }

    @Test
    @DisplayName("a share group consumes and acknowledges")
    void shareGroup() {
        kafka.createTopic("share", 1);
        kafka.produce("share", null, "one");
        kafka.produce("share", null, "two");
        ConfigResource group = new ConfigResource(ConfigResource.Type.GROUP, "share");
        AlterConfigOp earliest =
                new AlterConfigOp(new ConfigEntry("share.auto.offset.reset", "earliest"), AlterConfigOp.OpType.SET);
        Await.get(
                "configuring",
                kafka.admin()
                        .incrementalAlterConfigs(Map.of(group, List.of(earliest)))
                        .all());

        Map<String, Object> properties = Map.of("bootstrap.servers", kafka.bootstrapServers(), "group.id", "share");
        List<String> values = new ArrayList<>();
        try (ShareConsumer<String, String> consumer =
                new KafkaShareConsumer<>(properties, new StringDeserializer(), new StringDeserializer())) {
            consumer.subscribe(List.of("share"));
            await().atMost(LIMIT).until(() -> {
                consumer.poll(Duration.ofMillis(50)).forEach(record -> values.add(record.value()));
                return values.size() >= 2;
            });
            assertThat(consumer.commitSync())
                    .hasSize(1)
                    .allSatisfy((partition, error) -> assertThat(error).isEmpty());
        }
        assertThat(values).containsExactly("one", "two");
    }

    @Test
    @DisplayName("a topic is known as soon as createTopic returns; a second one of its name is refused")
    void createTopic() {
        kafka.createTopic("known", 7, 1, Map.of("cleanup.policy", "compact"));

        assertThat(kafka.endOffsets("known"))
                .hasSize(7)
                .allSatisfy((partition, end) -> assertThat(end).isZero());
        assertThat(kafka.leader("known", 6)).hasValue(1);
        assertThat(kafka.leader("known", 7)).isEmpty();
        assertThatThrownBy(() -> kafka.createTopic("known", 1)).isInstanceOf(TopicExistsException.class);
        assertThatThrownBy(() -> kafka.endOffsets("unknown"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("unknown does not exist");
    }

    @Test
    @DisplayName("close() leaves the shared broker to the others")
    void sharedOutlivesClose() {
        EmbeddedKafka.shared().close();

        assertThat(EmbeddedKafka.shared()).isSameAs(kafka);
        kafka.createTopic("after-close", 1);
        assertThat(kafka.produce("after-close", null, "still here").offset()).isZero();
    }
}
