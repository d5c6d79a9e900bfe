package dev.laneway.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.laneway.cli.program.Program;
import dev.laneway.cli.workload.CopyHeaders;
import dev.laneway.ops.CommitMap;
import dev.laneway.testkit.EmbeddedKafka;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Verbs as processes on a real broker: SIGTERM, kill -9, and what is left behind. */
class SignalsTest {
    private static final int RECORDS = 20_000;
    private static final Duration LIMIT = Duration.ofSeconds(60);

    @TempDir
    private Path directory;

    private final EmbeddedKafka kafka = EmbeddedKafka.shared();
    private final String topic = "in-" + UUID.randomUUID();
    private final String copies = "out-" + topic;

    @Test
    @DisplayName(
            "B56 SIGTERM closes consume cleanly: exit code 0, a summary, and a second run repeats and loses nothing")
    void closesCleanly() throws Exception {
        load();
        Path json = directory.resolve("first.json");
        try (Child first = consume("--work", "20ms", "--json", json.toString())) {
            await().atMost(LIMIT).until(() -> copied() > 500);
            first.terminate();
            assertThat(first.await()).as(first.err()).isZero();
            assertThat(first.out()).contains("Ended by signal after ");
        }
        JsonNode report = new ObjectMapper().readTree(Files.readString(json));
        assertThat(report.get("ended_by").asText()).isEqualTo("signal");
        assertThat(report.get("emitted").asLong()).isEqualTo(copied()).isBetween(500L, RECORDS - 1L);
        try (Child second = consume("--idle-exit", "1s")) {
            assertThat(second.await()).as(second.err()).isZero();
            assertThat(second.out()).contains("Ended by idle after ");
        }
        Map<String, Integer> seen = copiesBySource();
        assertThat(seen).hasSize(RECORDS);
        assertThat(seen.values()).containsOnly(1);
    }

    @Test
    @DisplayName("B4 kill -9 of consume under load: the next one loses nothing and repeats only what was not committed")
    void survivesKill() throws Exception {
        load();
        try (Child first = consume("--work", "20ms", "--commit-interval", "100ms")) {
            await().atMost(LIMIT).until(() -> copied() > 2_000);
            first.kill();
            first.await();
        }
        long before = copied();
        Map<TopicPartition, OffsetAndMetadata> committed = kafka.committed("g-" + topic);
        try (Child second = consume("--idle-exit", "1s")) {
            assertThat(second.await()).as(second.err()).isZero();
        }
        Map<String, Integer> seen = copiesBySource();
        assertThat(seen).as("every record has a copy").hasSize(RECORDS);
        List<String> repeated = seen.entrySet().stream()
                .filter(copies -> copies.getValue() > 1)
                .map(Map.Entry::getKey)
                .toList();
        assertThat(repeated).as("repeated although a commit names it").noneMatch(record -> names(committed, record));
        // It was killed in mid-work, so all that it did would be repeated if no commit had counted.
        assertThat(repeated).hasSizeLessThan((int) before);
    }

    @Test
    @DisplayName("B17 kill -9 of consume that commits ahead, under load: no record twice, at most one poll lost")
    void losesAtMostOnePoll() throws Exception {
        load();
        String[] ahead = {"--commit", "ahead", "--property", "max.poll.records=300"};
        try (Child first = consume(with(ahead, "--work", "20ms"))) {
            await().atMost(LIMIT).until(() -> copied() > 2_000);
            first.kill();
            first.await();
        }
        long before = copied();
        try (Child second = consume(with(ahead, "--idle-exit", "1s"))) {
            assertThat(second.await()).as(second.err()).isZero();
        }
        Map<String, Integer> seen = copiesBySource();
        assertThat(seen.values()).as("seen twice").containsOnly(1);
        assertThat(before).isLessThan(RECORDS);
        assertThat(RECORDS - seen.size()).as("lost").isBetween(0, 300);
    }

    private static String[] with(String[] options, String... more) {
        List<String> all = new ArrayList<>(List.of(options));
        all.addAll(List.of(more));
        return all.toArray(String[]::new);
    }

    /** Whether a commit says that this record, as {@link #copiesBySource} names it, is done. */
    private boolean names(Map<TopicPartition, OffsetAndMetadata> committed, String record) {
        int at = record.indexOf('@');
        int partition = Integer.parseInt(record.substring(0, at));
        TopicPartition id = new TopicPartition(topic, partition);
        OffsetAndMetadata commit = committed.get(id);
        return commit != null
                && CommitMap.read(id, commit.offset(), commit.metadata())
                        .names(Long.parseLong(record.substring(at + 1)));
    }

    @Test
    @DisplayName("broker serves until SIGTERM, then ends with 0 and leaves no data; its JSON is as documented")
    void brokerServesUntilSignal() throws Exception {
        Path json = directory.resolve("broker.json");
        try (Child broker = Child.start(directory, "broker", "--port", "0", "--json", json.toString())) {
            await().atMost(LIMIT).until(() -> broker.out().contains("Ctrl-C stops it") && Files.size(json) > 0);
            JsonNode report = new ObjectMapper().readTree(Files.readString(json));
            assertThat(report.fieldNames()).toIterable().containsExactlyElementsOf(CliDoc.keys("broker"));
            String bootstrap = report.get("bootstrap").asText();
            assertThat(broker.out()).contains("bootstrap.servers=" + bootstrap);
            Path data = Path.of(report.get("directory").asText());
            assertThat(data).isDirectory();
            Cli loaded = Cli.run("load", "--topic", "a", "--records", "100", "--bootstrap", bootstrap);
            assertThat(loaded.code()).as(loaded.err()).isZero();
            broker.terminate();
            assertThat(broker.await()).as(broker.err()).isZero();
            assertThat(data).doesNotExist();
        }
    }

    @Test
    @DisplayName("SIGTERM in the middle of the demo: it ends with 1, and its broker ends with it")
    void demoEndsWithItsBroker() throws Exception {
        try (Child demo = Child.start(directory, "demo", "--records", "1000000", "--sample", "30s")) {
            ProcessHandle broker = brokerOf(demo);
            await().atMost(LIMIT).until(() -> demo.out().contains("bare poll loop"));
            demo.terminate();
            assertThat(demo.await()).as(demo.out() + demo.err()).isEqualTo(Program.FAILED);
            assertThat(demo.out()).contains("Stopped before the end").doesNotContain("lost");
            await().atMost(LIMIT).until(() -> !broker.isAlive());
        }
    }

    @Test
    @DisplayName(
            "Ctrl-C, which a terminal sends to all processes, while the demo's broker starts: it says that it stopped")
    void demoStopsWhileItsBrokerStarts() throws Exception {
        try (Child demo = Child.start(directory, "demo")) {
            await().atMost(LIMIT).until(() -> javaOf(demo).isPresent());
            ProcessHandle broker = javaOf(demo).orElseThrow();
            Process interrupt = new ProcessBuilder("kill", "-INT", Long.toString(broker.pid())).start();
            assertThat(interrupt.waitFor()).isZero();
            demo.terminate(); // As SIGINT, which a JVM that was started in the background of a shell ignores.
            assertThat(demo.await()).as(demo.err()).isEqualTo(Program.FAILED);
            assertThat(demo.out()).contains("Stopped before the end");
            assertThat(demo.err()).doesNotContain("does not start");
            await().atMost(LIMIT).until(() -> !broker.isAlive());
        }
    }

    @Test
    @DisplayName("kill -9 of the demo leaves no broker behind")
    void demoLeavesNoBroker() throws Exception {
        try (Child demo = Child.start(directory, "demo")) {
            ProcessHandle broker = brokerOf(demo);
            demo.kill();
            demo.await();
            await().atMost(LIMIT).until(() -> !broker.isAlive());
        }
    }

    private static ProcessHandle brokerOf(Child demo) {
        await().atMost(LIMIT).until(() -> demo.out().contains("Loading"));
        return javaOf(demo).orElseThrow();
    }

    private static Optional<ProcessHandle> javaOf(Child demo) {
        return demo.descendants().stream()
                .filter(process -> process.info().command().orElse("").endsWith("java"))
                .findFirst();
    }

    private void load() {
        Cli loaded = Cli.run(
                "load",
                "--topic",
                topic,
                "--records",
                Integer.toString(RECORDS),
                "--keys",
                "5000",
                "--partitions",
                "4",
                "--bootstrap",
                kafka.bootstrapServers());
        assertThat(loaded.code()).as(loaded.err()).isZero();
        kafka.createTopic(copies, 4);
    }

    private Child consume(String... options) throws Exception {
        List<String> line = new ArrayList<>(List.of(
                "consume",
                "--property",
                "session.timeout.ms=2000",
                "--property",
                "heartbeat.interval.ms=300",
                "--topic",
                topic,
                "--to",
                copies,
                "--group",
                "g-" + topic,
                "--concurrency",
                "50",
                "--bootstrap",
                kafka.bootstrapServers()));
        line.addAll(List.of(options));
        return Child.start(directory, line.toArray(String[]::new));
    }

    private long copied() {
        return kafka.endOffsets(copies).values().stream()
                .mapToLong(Long::longValue)
                .sum();
    }

    /** How often each source record was copied, by partition and offset. */
    private Map<String, Integer> copiesBySource() {
        Map<String, Integer> seen = new HashMap<>();
        long expected = copied();
        long read = 0;
        try (Consumer<byte[], byte[]> consumer = kafka.consumer("check-" + topic)) {
            consumer.subscribe(List.of(copies));
            long deadline = System.nanoTime() + LIMIT.toNanos();
            while (read < expected && System.nanoTime() < deadline) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(200))) {
                    assertThat(header(record, CopyHeaders.TOPIC)).isEqualTo(topic);
                    assertThat(header(record, CopyHeaders.ATTEMPT)).isEqualTo("1");
                    assertThat(header(record, CopyHeaders.MEMBER)).startsWith("laneway-");
                    seen.merge(
                            header(record, CopyHeaders.PARTITION) + "@" + header(record, CopyHeaders.OFFSET),
                            1,
                            Integer::sum);
                    read++;
                }
            }
        }
        assertThat(read).isEqualTo(expected);
        return seen;
    }

    private static String header(ConsumerRecord<byte[], byte[]> record, String name) {
        return new String(record.headers().lastHeader(name).value(), StandardCharsets.UTF_8);
    }
}
