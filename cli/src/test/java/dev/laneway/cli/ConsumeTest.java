package dev.laneway.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.laneway.DeadLetterHeaders;
import dev.laneway.cli.program.Program;
import dev.laneway.cli.workload.Cluster;
import dev.laneway.cli.workload.Simulated;
import dev.laneway.testkit.EmbeddedKafka;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** consume and demo on a real broker. */
class ConsumeTest {
    private static final int RECORDS = 1_000;

    private final EmbeddedKafka kafka = EmbeddedKafka.shared();
    private final String topic = "in-" + UUID.randomUUID();
    private final String letters = "dlq-" + topic;

    @Test
    @DisplayName(
            "B43 Records whose attempts all fail are dead-lettered, exactly those that the hash of --fail-rate says")
    void deadLetters() throws Exception {
        load();
        Cli cli = consume(
                "--fail-rate",
                "0.3",
                "--retries",
                "1",
                "--backoff",
                "1ms",
                "--dead-letter",
                letters,
                "--consumers",
                "2");
        assertThat(cli.code()).as(cli.err()).isZero();
        Set<String> expected = new HashSet<>();
        for (Map.Entry<TopicPartition, Long> end : kafka.endOffsets(topic).entrySet()) {
            int partition = end.getKey().partition();
            for (long offset = 0; offset < end.getValue(); offset++) {
                if (Simulated.fails(0.3, partition, offset, 1) && Simulated.fails(0.3, partition, offset, 2)) {
                    expected.add(partition + "@" + offset);
                }
            }
        }
        assertThat(expected).hasSizeBetween(50, 150);
        JsonNode report = new ObjectMapper().readTree(cli.out());
        assertThat(report.fieldNames()).toIterable().containsExactlyElementsOf(CliDoc.keys("consume"));
        assertThat(report.get("dead_lettered").asInt()).isEqualTo(expected.size());
        assertThat(report.get("lag").asLong()).isZero();
        assertThat(deadLettered(expected.size())).isEqualTo(expected);
        assertThat(committed()).isEqualTo(kafka.endOffsets(topic));
    }

    @Test
    @DisplayName("The last attempt's failure without a dead-letter topic fails the verb, which names the record")
    void failsWithoutDeadLetter() {
        load();
        Cli cli = consume("--fail-rate", "1", "--retries", "0");
        assertThat(cli.code()).isEqualTo(Program.FAILED);
        assertThat(cli.err())
                .contains("laneway: record " + topic + "-", "stopped the consumer")
                .doesNotContain("\tat ");
        assertThat(cli.err()).contains("Ended by failure after ");
    }

    @Test
    @DisplayName("--max-records ends it, with at least so many done")
    void endsAfterSoManyRecords() throws Exception {
        load();
        Cli cli = consume("--max-records", "100", "--work", "5ms", "--concurrency", "8");
        assertThat(cli.code()).as(cli.err()).isZero();
        JsonNode report = new ObjectMapper().readTree(cli.out());
        assertThat(report.get("ended_by").asText()).isEqualTo("max-records");
        assertThat(report.get("processed").asInt()).isBetween(100, RECORDS - 1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"async", "sync", "ahead"})
    @DisplayName("Every commit mode ends with the end of each partition committed")
    void commitsAll(String mode) {
        load();
        assertThat(consume("--commit", mode, "--ordering", "unordered").code()).isZero();
        assertThat(committed()).isEqualTo(kafka.endOffsets(topic));
    }

    @Test
    @DisplayName("A topic that does not exist fails at once, with what to do")
    void missesTopics() {
        Cli cli = Cli.run("consume", "--topic", topic, "--bootstrap", kafka.bootstrapServers());
        assertThat(cli.code()).isEqualTo(Program.FAILED);
        assertThat(cli.err())
                .startsWith("laneway: --topic " + topic + " does not exist; create it, or fill it with: laneway load");
    }

    @ParameterizedTest
    @ValueSource(strings = {"key", "partition", "unordered"})
    @DisplayName(
            "The demo on a given cluster holds its checks in every order, has the documented keys, and leaves no topic")
    void demonstrates(String ordering) throws Exception {
        Cli cli = Cli.run(
                "demo",
                "--bootstrap",
                kafka.bootstrapServers(),
                "--ordering",
                ordering,
                "--records",
                "3000",
                "--keys",
                "200",
                "--partitions",
                "4",
                "--work",
                "1ms",
                "--concurrency",
                "50",
                "--sample",
                "100ms",
                "--zipf",
                "0.5",
                "--json",
                "-");
        assertThat(cli.code()).as(cli.err()).isZero();
        JsonNode report = new ObjectMapper().readTree(cli.out());
        assertThat(report.fieldNames()).toIterable().containsExactlyElementsOf(CliDoc.keys("demo"));
        assertThat(report.get("order_violations").asInt()).isZero();
        assertThat(report.get("duplicates").asInt()).isZero();
        assertThat(report.get("lost").asInt()).isZero();
        assertThat(report.get("committed_equals_end").asBoolean()).isTrue();
        assertThat(report.get("share_of_little").asDouble()).isBetween(0.01, 1.0);
        assertThat(report.get("peak_heap_mb").asDouble()).isPositive();
        assertThat(cli.err()).contains("share of Little's law", "committed = end        yes");
        // The controller has deleted the topic; the broker that lists it hears of that a moment later.
        await().until(() ->
                kafka.admin().listTopics().names().get().stream().noneMatch(name -> name.startsWith("laneway-demo-")));
    }

    @Test
    @DisplayName("The demo with one key leaves partitions empty and holds its checks, at a rate that one key can have")
    void demonstratesOneKey() throws Exception {
        Cli cli = Cli.run(
                "demo",
                "--bootstrap",
                kafka.bootstrapServers(),
                "--records",
                "50",
                "--keys",
                "1",
                "--partitions",
                "4",
                "--work",
                "1ms",
                "--concurrency",
                "50",
                "--sample",
                "50ms",
                "--json",
                "-");
        assertThat(cli.code()).as(cli.err()).isZero();
        JsonNode report = new ObjectMapper().readTree(cli.out());
        assertThat(report.get("committed_equals_end").asBoolean()).isTrue();
        assertThat(report.get("little_rate").asDouble()).isEqualTo(1_000);
        assertThat(report.get("hottest_key_share").asDouble()).isEqualTo(1);
    }

    @Test
    @DisplayName("Offsets that are not the end of every partition are not taken for it")
    void seesWhatIsNotCommitted() {
        load();
        Map<String, Object> config = Map.of("bootstrap.servers", kafka.bootstrapServers());
        try (Cluster cluster = Cluster.connect(config, Duration.ofSeconds(10))) {
            assertThat(cluster.isAllCommitted(topic, topic, 3)).isFalse();
            assertThat(consume("--max-records", "10", "--concurrency", "1", "--work", "1ms")
                            .code())
                    .isZero();
            assertThat(cluster.isAllCommitted(topic, topic, 3)).isFalse();
            assertThat(consume().code()).isZero();
            assertThat(cluster.isAllCommitted(topic, topic, 3)).isTrue();
        }
    }

    private void load() {
        Cli loaded = Cli.run(
                "load",
                "--topic",
                topic,
                "--records",
                Integer.toString(RECORDS),
                "--keys",
                "100",
                "--partitions",
                "3",
                "--bootstrap",
                kafka.bootstrapServers());
        assertThat(loaded.code()).as(loaded.err()).isZero();
    }

    private Cli consume(String... options) {
        List<String> line = new ArrayList<>(List.of(
                "consume",
                "--topic",
                topic,
                "--group",
                topic,
                "--idle-exit",
                "300ms",
                "--json",
                "-",
                "--bootstrap",
                kafka.bootstrapServers()));
        line.addAll(List.of(options));
        return Cli.run(line.toArray(String[]::new));
    }

    private Map<TopicPartition, Long> committed() {
        Map<TopicPartition, Long> committed = new HashMap<>();
        kafka.committed(topic).forEach((partition, offset) -> committed.put(partition, offset.offset()));
        return committed;
    }

    private Set<String> deadLettered(int count) {
        Set<String> letterSources = new HashSet<>();
        int read = 0;
        try (Consumer<byte[], byte[]> consumer = kafka.consumer("check-" + topic)) {
            consumer.subscribe(List.of(letters));
            long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
            while (read < count && System.nanoTime() < deadline) {
                for (ConsumerRecord<byte[], byte[]> letter : consumer.poll(Duration.ofMillis(200))) {
                    letterSources.add(header(letter, DeadLetterHeaders.PARTITION) + "@"
                            + header(letter, DeadLetterHeaders.OFFSET));
                    read++;
                }
            }
        }
        assertThat(read).isEqualTo(count);
        return letterSources;
    }

    private static String header(ConsumerRecord<byte[], byte[]> record, String name) {
        return new String(record.headers().lastHeader(name).value(), StandardCharsets.UTF_8);
    }
}
