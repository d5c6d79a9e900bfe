package dev.laneway.ops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.laneway.FailurePolicy;
import dev.laneway.Laneway;
import dev.laneway.ops.CommitMap.Run;
import dev.laneway.ops.CommitMetadata.Writer;
import dev.laneway.testkit.EmbeddedKafka;
import dev.laneway.testkit.SaslMechanism;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** On a real broker. */
class CommitReaderTest {
    private static final EmbeddedKafka KAFKA = EmbeddedKafka.shared();
    private static final Duration LIMIT = Duration.ofSeconds(20);

    private final String topic = "describe-" + UUID.randomUUID();
    private final String group = "group-of-" + topic;
    private final TopicPartition first = new TopicPartition(topic, 0);

    private GroupCommits read(String... topics) {
        try (Admin admin = admin()) {
            return new CommitReader(admin, LIMIT).read(group, List.of(topics));
        }
    }

    private void commit(Map<TopicPartition, OffsetAndMetadata> commits) throws Exception {
        try (Admin admin = admin()) {
            admin.alterConsumerGroupOffsets(group, commits).all().get();
        }
    }

    private void load(int records) {
        List<ProducerRecord<byte[], byte[]>> batch = new ArrayList<>();
        for (int i = 0; i < records; i++) {
            batch.add(new ProducerRecord<>(topic, 0, null, new byte[1]));
        }
        KAFKA.produce(batch);
    }

    @Test
    @DisplayName("B133 While a consumer has one record stuck, its commit tells what is done beyond it")
    void stuckRecord() throws Exception {
        KAFKA.createTopic(topic, 1);
        for (int i = 0; i < 21; i++) {
            KAFKA.produce(topic, i == 5 ? "stuck" : "free-" + i, "x");
        }
        CountDownLatch done = new CountDownLatch(20);
        CountDownLatch released = new CountDownLatch(1);
        try (Laneway _ = Laneway.consumer(Map.of(
                        "bootstrap.servers",
                        KAFKA.bootstrapServers(),
                        "group.id",
                        group,
                        "auto.offset.reset",
                        "earliest"))
                .subscribe(topic)
                .onFailure(FailurePolicy.stop())
                .closeLimit(Duration.ofMillis(100))
                .process(record -> {
                    if (new String(record.key(), StandardCharsets.UTF_8).equals("stuck")) {
                        released.await();
                    }
                    done.countDown();
                })) {
            assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
        }
        GroupCommits commits = read();
        assertThat(commits.isComplete()).as(commits.toString()).isTrue();
        assertThat(commits.metadataLimit()).isEqualTo(4_096);
        assertThat(commits.totals()).isEqualTo(new CommitTotals(1, 0, 16, 15, 1, 0));
        PartitionCommit commit = commits.partitions().getFirst();
        assertThat(commit.partition()).isEqualTo(first);
        assertThat(commit.committed()).isEqualTo(5);
        assertThat(commit.leaderEpoch()).isZero();
        assertThat(commit.metadata().writer()).isEqualTo(Writer.LANEWAY);
        assertThat(commit.undone()).containsExactly(new Run(5, 6));
        assertThat(commit.lastDone()).isEqualTo(20);
        assertThat(commit.start()).isZero();
        assertThat(commit.end()).isEqualTo(21);
        assertThat(commit.warnings()).isEmpty();
    }

    @Test
    @DisplayName("B133 A map that Parallel Consumer has committed is told; the lag counts it too")
    void parallelConsumer() throws Exception {
        KAFKA.createTopic(topic, 1);
        load(120);
        commit(Map.of(first, new OffsetAndMetadata(100, "YSi1L/0AWCkAAAAK3AMA")));
        PartitionCommit commit = read(topic).partitions().getFirst();
        assertThat(commit.metadata().writer()).isEqualTo(Writer.PARALLEL_CONSUMER);
        assertThat(commit.metadata().encoding()).isEqualTo("BitSetCompressed");
        assertThat(commit.undone()).containsExactly(new Run(100, 102), new Run(105, 106));
        assertThat(commit.lastDone()).isEqualTo(109);
        assertThat(commit.lag()).isEqualTo(20);
        assertThat(commit.toDo()).isEqualTo(13);
        assertThat(commit.leaderEpoch()).isNull();
        try (Admin admin = admin()) {
            GroupLag lag = new LagMonitor(admin, LagOptions.DEFAULT, RecordProbe.NONE).sample(group);
            assertThat(lag.partitions().getFirst().doneBeyond()).isEqualTo(7);
        }
    }

    @Test
    @DisplayName("B133 Offsets that the log no longer has, and an epoch that it does not have yet, are warned of")
    void warnings() throws Exception {
        KAFKA.createTopic(topic, 3);
        load(10);
        try (Admin admin = admin()) {
            admin.deleteRecords(Map.of(first, RecordsToDelete.beforeOffset(7)))
                    .all()
                    .get();
        }
        TopicPartition beyond = new TopicPartition(topic, 1);
        TopicPartition newer = new TopicPartition(topic, 2);
        commit(Map.of(
                first,
                new OffsetAndMetadata(5),
                beyond,
                new OffsetAndMetadata(5),
                newer,
                new OffsetAndMetadata(0, Optional.of(99), "")));
        List<PartitionCommit> commits = read().partitions();
        assertThat(commits.get(0).warnings()).singleElement().asString().contains("begins 2 offsets above");
        assertThat(commits.get(1).warnings()).singleElement().asString().contains("5 offsets beyond the log's end");
        assertThat(commits.get(2).warnings()).singleElement().asString().contains("epoch 99 is newer than the log's 0");
    }

    @Test
    @DisplayName("B133 A member's partition without a commit is shown as such, and topics can be chosen")
    void topicsAndMembers() throws Exception {
        String other = "other-" + topic;
        KAFKA.createTopic(topic, 1);
        KAFKA.createTopic(other, 2);
        try (Consumer<byte[], byte[]> consumer =
                KAFKA.consumer(Map.of("group.id", group, "enable.auto.commit", false))) {
            consumer.subscribe(List.of(topic, other));
            while (consumer.assignment().isEmpty()) {
                consumer.poll(Duration.ofMillis(100));
            }
            consumer.commitSync(Map.of(new TopicPartition(other, 1), new OffsetAndMetadata(0, "mine")));
            GroupCommits all = read();
            assertThat(all.totalsByTopic()).containsOnlyKeys(topic, other);
            assertThat(all.totals()).isEqualTo(new CommitTotals(3, 2, 0, 0, 0, 0));
            GroupCommits chosen = read(other);
            assertThat(chosen.partitions())
                    .extracting(PartitionCommit::partition)
                    .containsExactly(new TopicPartition(other, 0), new TopicPartition(other, 1));
            assertThat(chosen.partitions().get(1).metadata().writer()).isEqualTo(Writer.OTHER);
        }
        assertThatThrownBy(() -> read("missing"))
                .isInstanceOf(LagFailure.class)
                .hasMessageContaining("has committed nothing of topic 'missing'");
    }

    @Test
    @DisplayName("B133 A group without commits has none, also once its topic is gone")
    void deletedTopic() throws Exception {
        KAFKA.createTopic(topic, 1);
        try (Consumer<byte[], byte[]> consumer =
                KAFKA.consumer(Map.of("group.id", group, "enable.auto.commit", false))) {
            consumer.subscribe(List.of(topic));
            while (consumer.assignment().isEmpty()) {
                consumer.poll(Duration.ofMillis(100));
            }
            consumer.commitSync(Map.of(first, new OffsetAndMetadata(0)));
            assertThat(read().partitions()).hasSize(1);
            consumer.unsubscribe();
        }
        try (Admin admin = admin()) {
            admin.deleteTopics(Set.of(topic)).all().get();
        }
        // The coordinator drops the commit a moment later; until then the log's ends have no answer.
        await().atMost(Duration.ofSeconds(60)).until(() -> read().partitions().isEmpty());
        assertThat(read().isComplete()).isTrue();
    }

    @Test
    @DisplayName("B133 An unknown group and a share group are refused in one sentence")
    void refused() {
        assertThatThrownBy(this::read).isInstanceOf(LagFailure.class).hasMessageContaining("does not exist");
        KAFKA.createTopic(topic, 1);
        Map<String, Object> config = Map.of("bootstrap.servers", KAFKA.bootstrapServers(), "group.id", group);
        try (KafkaShareConsumer<byte[], byte[]> consumer =
                new KafkaShareConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.subscribe(List.of(topic));
            consumer.poll(Duration.ofSeconds(1));
            assertThatThrownBy(this::read)
                    .isInstanceOf(LagFailure.class)
                    .hasMessageContaining("is a share group: it acknowledges records");
        }
    }

    @Test
    @DisplayName("B133 Without rights the missing one is named; without that to configurations the limit is unknown")
    void rights() throws Exception {
        try (EmbeddedKafka secured = EmbeddedKafka.builder()
                .sasl(SaslMechanism.SCRAM_SHA_512)
                .user("app", "the password of app")
                .acls()
                .start()) {
            secured.createTopic(topic, 1);
            secured.admin()
                    .alterConsumerGroupOffsets(group, Map.of(first, new OffsetAndMetadata(0)))
                    .all()
                    .get();
            Map<String, Object> config = new HashMap<>(secured.security().clientProperties("app"));
            config.put("bootstrap.servers", secured.bootstrapServers());
            try (Admin admin = Admin.create(config)) {
                CommitReader reader = new CommitReader(admin, LIMIT);
                assertThatThrownBy(() -> reader.read(group, List.of()))
                        .isInstanceOf(LagFailure.class)
                        .hasMessageContaining("the right DESCRIBE on the group is missing");
                secured.security().grant("app", AclOperation.DESCRIBE, ResourceType.GROUP, group);
                assertThat(reader.read(group, List.of()).partitions()).isEmpty();
                assertThatThrownBy(() -> reader.read(group, List.of(topic)))
                        .hasMessageContaining("the right DESCRIBE on it is missing");
                secured.security().grant("app", AclOperation.DESCRIBE, ResourceType.TOPIC, topic);
                GroupCommits commits = reader.read(group, List.of(topic));
                assertThat(commits.metadataLimit()).isNull();
                assertThat(commits.isComplete()).isTrue();
                assertThat(commits.partitions()).hasSize(1);
            }
        }
    }

    @Test
    @DisplayName("B133 A cluster that does not answer any more fails in one sentence, within the limit")
    void brokerGone() throws Exception {
        try (EmbeddedKafka own = EmbeddedKafka.start()) {
            try (Admin admin = Admin.create(
                    Map.of("bootstrap.servers", own.bootstrapServers(), "request.timeout.ms", 500, "retries", 1_000))) {
                admin.describeCluster().nodes().get();
                own.kill(1);
                assertThatThrownBy(() -> new CommitReader(admin, Duration.ofSeconds(1)).read(group, List.of()))
                        .isInstanceOf(LagFailure.class)
                        .hasMessageContaining("no answer within 1000 ms");
            }
        }
    }

    private static Admin admin() {
        return Admin.create(Map.of("bootstrap.servers", KAFKA.bootstrapServers()));
    }
}
