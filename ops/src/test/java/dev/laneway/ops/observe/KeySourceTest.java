package dev.laneway.ops.observe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.ops.LagOptions;
import dev.laneway.ops.RecordProbe;
import dev.laneway.testkit.EmbeddedKafka;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class KeySourceTest {
    private static final EmbeddedKafka KAFKA = EmbeddedKafka.shared();
    private static final Duration LIMIT = Duration.ofSeconds(20);

    private final String topic = "keys-" + UUID.randomUUID();
    private final Map<String, Object> config = Map.of("bootstrap.servers", KAFKA.bootstrapServers());
    private final Admin admin = Admin.create(config);

    @AfterEach
    void close() {
        admin.close();
    }

    private AdminSource behind(int records, IntFunction<@Nullable String> key) throws Exception {
        KAFKA.createTopic(topic, 2);
        KAFKA.produce(IntStream.range(0, records)
                .mapToObj(i -> new ProducerRecord<>(topic, 1, bytes(key.apply(i)), new byte[10]))
                .toList());
        Map<TopicPartition, OffsetAndMetadata> commits = new HashMap<>();
        for (int partition = 0; partition < 2; partition++) {
            commits.put(new TopicPartition(topic, partition), new OffsetAndMetadata(0));
        }
        admin.alterConsumerGroupOffsets(topic, commits).all().get();
        AdminSource source =
                new AdminSource(admin, topic, new LagOptions(IsolationLevel.READ_UNCOMMITTED, LIMIT), RecordProbe.NONE);
        var _ = source.read(LIMIT);
        return source;
    }

    private static byte @Nullable [] bytes(@Nullable String text) {
        return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
    }

    private double number(Sample sample, String name) {
        return sample.numbers().getOrDefault(metric(name), -1.0);
    }

    private Metric metric(String name) {
        return Metric.of(Groups.KEYS, name, Map.of("topic", topic, "partition", "1"));
    }

    @Test
    @DisplayName("B141 Of the partition that is behind it counts the records, keys and those of the first key")
    void counts() throws Exception {
        AdminSource lag = behind(400, i -> i % 4 == 0 ? "k" + i : i % 4 == 1 ? null : "hot");
        try (KeySource keys = KeySource.of(lag, config)) {
            Sample sample = keys.read(LIMIT);
            assertThat(number(sample, "records")).isEqualTo(400);
            assertThat(number(sample, "most-frequent")).isEqualTo(200);
            assertThat(number(sample, "distinct")).isEqualTo(101);
            assertThat(number(sample, "keyless")).isEqualTo(100);
            assertThat(sample.texts()).isEmpty();
            assertThat(sample.toString()).doesNotContain("hot");
            assertThat(keys.read(LIMIT).numbers()).as("read once").isEqualTo(sample.numbers());
        }
    }

    @Test
    @DisplayName("B141 It reads no more than the latest records, joins no group and commits nothing")
    void isBounded() throws Exception {
        AdminSource lag = behind(KeySource.MOST_RECORDS + 500, i -> i < 500 ? "early" : "late-" + i % 10);
        Set<String> groups = groups();
        Map<String, Object> grouped = new HashMap<>(config);
        grouped.put("group.id", topic);
        try (KeySource keys = KeySource.of(lag, grouped)) {
            Sample sample = keys.read(LIMIT);
            assertThat(number(sample, "records")).isEqualTo(KeySource.MOST_RECORDS);
            assertThat(number(sample, "distinct")).isEqualTo(10);
        }
        assertThat(groups()).isEqualTo(groups);
        assertThat(admin.listConsumerGroupOffsets(topic)
                        .partitionsToOffsetAndMetadata()
                        .get()
                        .values())
                .allMatch(commit -> commit.offset() == 0);
        assertThat(admin.describeConsumerGroups(List.of(topic))
                        .all()
                        .get()
                        .get(topic)
                        .members())
                .isEmpty();
    }

    private Set<String> groups() throws Exception {
        return admin.listGroups().all().get().stream()
                .map(group -> group.groupId())
                .collect(java.util.stream.Collectors.toSet());
    }

    @Test
    @DisplayName("B141 Without the right READ it says so, and tells no number of keys")
    void withoutRight() throws Exception {
        AdminSource lag = behind(100, _ -> "hot");
        MockConsumer<byte[], byte[]> refused = new MockConsumer<>("earliest");
        refused.schedulePollTask(() -> {
            throw new TopicAuthorizationException(Set.of(topic));
        });
        try (KeySource keys = new KeySource(lag, () -> refused)) {
            Sample sample = keys.read(LIMIT);
            assertThat(sample.texts().get(metric("problem"))).contains("READ", topic, "grant");
            assertThat(number(sample, "records")).isZero();
        }
        assertThat(refused.closed()).isTrue();
    }

    @Test
    @DisplayName("B141 Where no partition is behind nothing is read")
    void nothingBehind() throws Exception {
        AdminSource lag = behind(10, _ -> "few");
        try (KeySource keys = new KeySource(lag, () -> {
            throw new AssertionError("made a consumer");
        })) {
            Sample sample = keys.read(LIMIT);
            assertThat(sample.numbers()).isEmpty();
        }
    }
}
