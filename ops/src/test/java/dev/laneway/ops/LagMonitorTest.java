package dev.laneway.ops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.laneway.testkit.EmbeddedKafka;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class LagMonitorTest {
    private static final EmbeddedKafka KAFKA = EmbeddedKafka.shared();

    private final String topic = "lag-" + UUID.randomUUID();
    private final String group = "group-" + UUID.randomUUID();

    private static GroupLag sample(String group, RecordProbe probe, IsolationLevel isolation) {
        try (Admin admin = admin()) {
            return new LagMonitor(admin, new LagOptions(isolation, Duration.ofSeconds(10)), probe).sample(group);
        }
    }

    private static GroupLag sample(String group) {
        return sample(group, RecordProbe.NONE, IsolationLevel.READ_UNCOMMITTED);
    }

    private static RecordProbe probe() {
        return new ConsumerProbe(() -> KAFKA.consumer(
                Map.of("max.poll.records", 1, "isolation.level", "read_committed", "enable.auto.commit", false)));
    }

    private void commit(long offset, int partitions) throws Exception {
        Map<TopicPartition, OffsetAndMetadata> commits = new HashMap<>();
        for (int i = 0; i < partitions; i++) {
            commits.put(new TopicPartition(topic, i), new OffsetAndMetadata(offset));
        }
        try (Admin admin = admin()) {
            admin.alterConsumerGroupOffsets(group, commits).all().get();
        }
    }

    private void load(int records, int partitions) {
        List<ProducerRecord<byte[], byte[]>> batch = new ArrayList<>();
        for (int i = 0; i < records; i++) {
            batch.add(new ProducerRecord<>(topic, i % partitions, null, new byte[1]));
        }
        KAFKA.produce(batch);
    }

    @Test
    @DisplayName("B131 A thousand partitions of a real broker are measured in one round")
    void thousandPartitions() throws Exception {
        KAFKA.createTopic(topic, 1_000);
        load(3_000, 1_000);
        commit(1, 1_000);
        GroupLag lag = sample(group);
        assertThat(lag.partitions())
                .hasSize(1_000)
                .allMatch(each -> Long.valueOf(2).equals(each.lag()));
        assertThat(lag.knownLag()).isEqualTo(2_000);
        assertThat(lag.isComplete()).isTrue();
        assertThat(lag.status()).isEqualTo(LagStatus.STOP);
    }

    @Test
    @DisplayName("B82 A group without commits has no lag but a bound, and is not OK")
    void noCommits() {
        KAFKA.createTopic(topic, 2);
        load(10, 2);
        try (Consumer<byte[], byte[]> consumer =
                KAFKA.consumer(Map.of("group.id", group, "enable.auto.commit", false))) {
            consumer.subscribe(List.of(topic));
            while (consumer.assignment().isEmpty()) {
                consumer.poll(Duration.ofMillis(100));
            }
            GroupLag lag = sample(group);
            assertThat(lag.members()).hasSize(1);
            assertThat(lag.status()).isEqualTo(LagStatus.UNKNOWN);
            assertThat(lag.partitions()).hasSize(2).allSatisfy(each -> {
                assertThat(each.lag()).isNull();
                assertThat(each.atMost()).isEqualTo(5);
                assertThat(each.evidence()).contains("no commit yet");
            });
        }
    }

    @Test
    @DisplayName("B82 The marker of a transaction is no lag when a probe has looked")
    void stickyOne() throws Exception {
        KAFKA.createTopic(topic, 1);
        try (Producer<byte[], byte[]> producer = KAFKA.producer(Map.of("transactional.id", topic))) {
            producer.initTransactions();
            producer.beginTransaction();
            var _ = producer.send(new ProducerRecord<>(topic, new byte[1]));
            producer.commitTransaction();
        }
        commit(1, 1);
        assertThat(sample(group).knownLag()).isEqualTo(1);
        GroupLag probed = sample(group, probe(), IsolationLevel.READ_COMMITTED);
        assertThat(probed.knownLag()).isZero();
        assertThat(probed.status()).isEqualTo(LagStatus.OK);
    }

    @Test
    @DisplayName("B82 Records of an open transaction count only if they are asked for")
    void openTransaction() throws Exception {
        KAFKA.createTopic(topic, 1);
        load(1, 1);
        commit(1, 1);
        try (Producer<byte[], byte[]> producer = KAFKA.producer(Map.of("transactional.id", topic))) {
            producer.initTransactions();
            producer.beginTransaction();
            producer.send(new ProducerRecord<>(topic, new byte[1])).get();
            assertThat(sample(group).knownLag()).isEqualTo(1);
            assertThat(sample(group, RecordProbe.NONE, IsolationLevel.READ_COMMITTED)
                            .knownLag())
                    .isZero();
            producer.abortTransaction();
        }
    }

    @Test
    @DisplayName("B82 What was compacted away counts as Kafka's tools count it, and the age is that of what is left")
    void compacted() throws Exception {
        KAFKA.createTopic(
                topic,
                1,
                1,
                Map.of("cleanup.policy", "compact", "segment.ms", "100", "min.cleanable.dirty.ratio", "0.01"));
        long hourAgo = System.currentTimeMillis() - 3_600_000;
        for (int i = 0; i < 20; i++) {
            KAFKA.produce(List.of(new ProducerRecord<>(topic, 0, hourAgo, new byte[] {7}, new byte[1])));
        }
        commit(1, 1);
        long began = System.currentTimeMillis();
        await().atMost(Duration.ofSeconds(60))
                .pollInterval(Duration.ofMillis(250))
                .until(() -> {
                    // Only a new record closes a segment, which can then be compacted.
                    KAFKA.produce(List.of(new ProducerRecord<>(topic, 0, new byte[] {7}, new byte[1])));
                    return firstOffset(1) >= 20;
                });
        GroupLag lag = sample(group, probe(), IsolationLevel.READ_UNCOMMITTED);
        long end = KAFKA.endOffsets(topic).get(new TopicPartition(topic, 0));
        assertThat(lag.knownLag()).isEqualTo(end - 1);
        LagAge age = lag.partitions().getFirst().age();
        assertThat(age.seconds())
                .as("what came an hour ago is gone")
                .isLessThanOrEqualTo((System.currentTimeMillis() - began) / 1e3 + 1);
        assertThat(age.error()).isZero();
    }

    /** Of the records that are there, from this offset on. */
    private long firstOffset(long from) {
        try (Consumer<byte[], byte[]> reader = KAFKA.consumer(Map.of("max.poll.records", 1))) {
            TopicPartition partition = new TopicPartition(topic, 0);
            reader.assign(List.of(partition));
            reader.seek(partition, from);
            ConsumerRecords<byte[], byte[]> records = ConsumerRecords.empty();
            while (records.isEmpty()) {
                records = reader.poll(Duration.ofMillis(100));
            }
            return records.iterator().next().offset();
        }
    }

    @Test
    @DisplayName("B131 The age of the first waiting record is within its error bar, exact with a probe")
    void age() throws Exception {
        KAFKA.createTopic(topic, 1);
        long hourAgo = System.currentTimeMillis() - 3_600_000;
        KAFKA.produce(List.of(
                new ProducerRecord<>(topic, 0, hourAgo - 1_000, null, new byte[1]),
                new ProducerRecord<>(topic, 0, hourAgo, null, new byte[1]),
                new ProducerRecord<>(topic, 0, hourAgo + 1_800_000, null, new byte[1])));
        commit(1, 1);
        double truth = (System.currentTimeMillis() - hourAgo) / 1e3;
        LagAge bounds = sample(group).partitions().getFirst().age();
        assertThat(truth).isBetween(bounds.low() - 1, bounds.high() + 1);
        LagAge exact = sample(group, probe(), IsolationLevel.READ_UNCOMMITTED)
                .partitions()
                .getFirst()
                .age();
        assertThat(exact.error()).isZero();
        assertThat(exact.seconds()).isBetween(truth, truth + 60);
    }

    @Test
    @DisplayName("B82 A partition that is gone fails alone, with the reason")
    void missingPartition() throws Exception {
        KAFKA.createTopic(topic, 1);
        load(5, 1);
        commit(2, 1);
        try (Admin admin = admin()) {
            TopicPartition gone = new TopicPartition(topic, 7);
            LagOptions options = new LagOptions(IsolationLevel.READ_UNCOMMITTED, Duration.ofSeconds(2));
            OffsetBounds bounds = OffsetBounds.read(
                    admin,
                    List.of(new TopicPartition(topic, 0), gone),
                    options.isolation(),
                    new Answers(System::nanoTime, options.limit().toMillis()));
            assertThat(bounds.end(new TopicPartition(topic, 0)).value()).isNotNull();
            assertThat(bounds.end(gone).value()).isNull();
        }
    }

    @Test
    @DisplayName("B131 An unknown group is refused in one sentence")
    void unknownGroup() {
        assertThatThrownBy(() -> sample(group)).isInstanceOf(LagFailure.class).hasMessageContaining("does not exist");
    }

    private static Admin admin() {
        return Admin.create(Map.of("bootstrap.servers", KAFKA.bootstrapServers()));
    }
}
