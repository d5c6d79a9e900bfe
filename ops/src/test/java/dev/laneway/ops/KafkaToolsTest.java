package dev.laneway.ops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.laneway.testkit.EmbeddedKafka;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Lag as Kafka's own commands print it, for groups whose members have gone. */
class KafkaToolsTest {
    private static final EmbeddedKafka KAFKA = EmbeddedKafka.shared();
    private static final int PARTITIONS = 3;

    private final String topic = "tools-" + UUID.randomUUID();
    private final String group = "group-" + UUID.randomUUID();

    @Test
    @DisplayName("B131 B133 Lag of a classic group is what kafka-consumer-groups prints")
    void classic() throws Exception {
        consumes("classic", GroupKind.CLASSIC);
    }

    @Test
    @DisplayName("B131 B133 Lag of a consumer group is what kafka-consumer-groups prints")
    void consumer() throws Exception {
        consumes("consumer", GroupKind.CONSUMER);
    }

    private void consumes(String protocol, GroupKind kind) throws Exception {
        load(40);
        try (Consumer<byte[], byte[]> consumer = KAFKA.consumer(
                Map.of("group.id", group, "group.protocol", protocol, "auto.offset.reset", "earliest"))) {
            consumer.subscribe(List.of(topic));
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> !consumer.poll(Duration.ofMillis(100)).isEmpty());
            Map<TopicPartition, OffsetAndMetadata> commits = new HashMap<>();
            consumer.assignment().forEach(id -> commits.put(id, new OffsetAndMetadata(3L + id.partition())));
            consumer.commitSync(commits);
        }
        load(10);
        compare(kind, "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand", "LAG", 0);
    }

    @Test
    @DisplayName("B131 Lag of a share group is what kafka-share-groups prints")
    void share() throws Exception {
        load(40);
        try (Admin admin = admin()) {
            admin.incrementalAlterConfigs(Map.of(
                            new ConfigResource(ConfigResource.Type.GROUP, group),
                            List.of(new AlterConfigOp(
                                    new ConfigEntry("share.auto.offset.reset", "earliest"), AlterConfigOp.OpType.SET))))
                    .all()
                    .get();
        }
        Map<String, Object> config =
                Map.of("bootstrap.servers", KAFKA.bootstrapServers(), "group.id", group, "max.poll.records", 10);
        try (KafkaShareConsumer<byte[], byte[]> consumer =
                new KafkaShareConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.subscribe(List.of(topic));
            Set<TopicPartition> acquired = new HashSet<>();
            await().atMost(Duration.ofSeconds(20)).until(() -> {
                acquired.addAll(consumer.poll(Duration.ofMillis(200)).partitions());
                return acquired.size() == PARTITIONS;
            });
            consumer.commitSync();
        }
        load(10);
        compare(GroupKind.SHARE, "org.apache.kafka.tools.consumer.group.ShareGroupCommand", "LAG", 0);
    }

    @Test
    @DisplayName("B131 B133 Lag of a streams group is what kafka-streams-groups prints")
    void streams() throws Exception {
        load(40);
        Properties config = new Properties();
        config.putAll(Map.of(
                "bootstrap.servers",
                KAFKA.bootstrapServers(),
                "application.id",
                group,
                "group.protocol",
                "streams",
                "commit.interval.ms",
                100,
                "auto.offset.reset",
                "earliest",
                "default.key.serde",
                Serdes.ByteArraySerde.class,
                "default.value.serde",
                Serdes.ByteArraySerde.class));
        AtomicBoolean isHeld = new AtomicBoolean();
        CountDownLatch released = new CountDownLatch(1);
        StreamsBuilder builder = new StreamsBuilder();
        builder.<byte[], byte[]>stream(topic).foreach((_, _) -> waitWhileHeld(isHeld, released));
        try (KafkaStreams streams = new KafkaStreams(builder.build(), config);
                Admin admin = admin()) {
            streams.start();
            LagMonitor monitor = new LagMonitor(admin, LagOptions.DEFAULT, RecordProbe.NONE);
            await().atMost(Duration.ofSeconds(40))
                    .ignoreExceptionsInstanceOf(LagFailure.class)
                    .until(() -> {
                        GroupLag lag = monitor.sample(group);
                        return lag.partitions().size() == PARTITIONS
                                && lag.partitions().stream()
                                        .allMatch(each -> Long.valueOf(0).equals(each.lag()));
                    });
            // The command prints nothing of a group without members.
            isHeld.set(true);
            load(10);
            compare(GroupKind.STREAMS, "org.apache.kafka.tools.streams.StreamsGroupCommand", "OFFSET-LAG", 1);
            released.countDown();
        }
    }

    private static void waitWhileHeld(AtomicBoolean isHeld, CountDownLatch released) {
        try {
            assertThat(!isHeld.get() || released.await(60, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void load(int records) throws Exception {
        try (Admin admin = admin()) {
            if (!admin.listTopics().names().get().contains(topic)) {
                KAFKA.createTopic(topic, PARTITIONS);
            }
        }
        List<ProducerRecord<byte[], byte[]>> batch = new ArrayList<>();
        for (int i = 0; i < records; i++) {
            batch.add(new ProducerRecord<>(topic, i % PARTITIONS, null, new byte[] {(byte) i}));
        }
        KAFKA.produce(batch);
    }

    private void compare(GroupKind kind, String command, String column, int members) throws Exception {
        try (Admin admin = admin()) {
            LagMonitor monitor = new LagMonitor(admin, LagOptions.DEFAULT, RecordProbe.NONE);
            await().atMost(Duration.ofSeconds(40))
                    .until(() -> monitor.sample(group).members().size() == members);
            Map<Integer, Long> printed = printed(command, column);
            GroupLag lag = monitor.sample(group);
            assertThat(lag.kind()).isEqualTo(kind);
            assertThat(lag.isComplete()).as(lag.toString()).isTrue();
            Map<Integer, Long> ours = new HashMap<>();
            lag.partitions().forEach(each -> ours.put(each.partition().partition(), each.lag()));
            assertThat(ours).hasSize(PARTITIONS).isEqualTo(printed);
            assertThat(lag.knownLag()).isPositive();
            if (kind != GroupKind.SHARE) {
                GroupCommits commits = new CommitReader(admin, Duration.ofSeconds(20)).read(group, List.of(topic));
                assertThat(commits.kind()).isEqualTo(kind);
                assertThat(commits.totals().lag()).isEqualTo(lag.knownLag());
                assertThat(commits.totals().doneBeyond()).isZero();
                assertThat(commits.partitions())
                        .allMatch(each -> each.warnings().isEmpty());
            }
            assertThat(lag.status()).isEqualTo(members == 0 ? LagStatus.STOP : LagStatus.UNKNOWN);
        }
    }

    /** A process of its own: the commands print to standard output, and end the JVM. */
    private Map<Integer, Long> printed(String command, String column) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        ProcessHandle.current().info().command().orElseThrow(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        command,
                        "--bootstrap-server",
                        KAFKA.bootstrapServers(),
                        "--describe",
                        "--offsets",
                        "--group",
                        group)
                .redirectErrorStream(true)
                .start();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(text).isZero();
        List<String[]> rows = text.lines()
                .map(line -> line.strip().split("\\s+"))
                .dropWhile(row -> !row[0].equals("GROUP"))
                .toList();
        assertThat(rows).as(text).isNotEmpty();
        List<String> header = List.of(rows.getFirst());
        Map<Integer, Long> lags = new HashMap<>();
        for (String[] row : rows.subList(1, rows.size())) {
            if (row[0].equals(group)) {
                lags.put(
                        Integer.parseInt(row[header.indexOf("PARTITION")]),
                        Long.parseLong(row[header.indexOf(column)]));
            }
        }
        return lags;
    }

    private static Admin admin() {
        return Admin.create(Map.of("bootstrap.servers", KAFKA.bootstrapServers()));
    }
}
