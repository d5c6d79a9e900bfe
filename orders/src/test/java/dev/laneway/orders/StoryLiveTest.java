package dev.laneway.orders;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.laneway.cli.program.Jvm;
import dev.laneway.testkit.EmbeddedKafka;
import java.io.IOException;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.apache.kafka.common.GroupState;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The guide's story with real processes, a hundredth of its size, judged by {@code check} from outside, which is a
 * process of its own too. Handlers wait, so that the share of busy time is the same on every machine. Runs with
 * {@code ./laneway test --long}.
 */
@Tag("long")
class StoryLiveTest {
    private static final String GROUP = "order-tracker";
    private static final String PARTITIONS = "6";
    private static final Duration LIMIT = Duration.ofMinutes(3);
    private static final List<String> JVM_OPTIONS =
            List.of("-XX:+UseSerialGC", "-Xmx192m", "--enable-native-access=ALL-UNNAMED");

    /** Not among temporary files: state that lies there is a finding of its own. */
    private final Path directory =
            Path.of("target", "story-" + ProcessHandle.current().pid());

    private final List<Jvm> nodes = new ArrayList<>();
    private final PipedOutputStream rates = new PipedOutputStream();
    private EmbeddedKafka kafka;
    private Cli load;

    @BeforeEach
    void start() throws IOException {
        Files.createDirectories(directory);
        kafka = EmbeddedKafka.start();
    }

    @AfterEach
    void end() throws Exception {
        nodes.forEach(Jvm::terminate);
        for (Jvm node : nodes) {
            if (!node.await(Duration.ofSeconds(30))) {
                node.kill();
                node.await(Duration.ofSeconds(5));
            }
        }
        if (load != null) {
            int _ = load.end();
        }
        kafka.close();
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    private void nodes(int count, String... options) {
        for (int i = 0; i < count; i++) {
            List<String> run = new ArrayList<>(List.of("orders", "run", "--bootstrap", kafka.bootstrapServers()));
            run.addAll(List.of("--partitions", PARTITIONS));
            run.addAll(List.of("--state-dir", directory.resolve("state").toString()));
            run.addAll(List.of(options));
            nodes.add(Jvm.start(Main.class, JVM_OPTIONS, run, directory.resolve("node-" + nodes.size() + ".log")));
        }
    }

    private void load(int rate, String... options) throws IOException {
        List<String> generate = new ArrayList<>(List.of("orders", "generate", "--bootstrap", kafka.bootstrapServers()));
        generate.addAll(List.of("--partitions", PARTITIONS, "--rate", String.valueOf(rate)));
        generate.addAll(List.of(options));
        load = Cli.start(new PipedInputStream(rates), generate);
    }

    private void changeRate(int rate) throws IOException {
        rates.write((rate + "\n").getBytes(StandardCharsets.UTF_8));
        rates.flush();
    }

    /** Waits until so many threads share the work, and so many records are there. */
    private void await(int threads, long records) {
        Awaitility.await().atMost(LIMIT).ignoreExceptions().until(() -> {
            var group = kafka.admin()
                    .describeConsumerGroups(List.of(GROUP))
                    .describedGroups()
                    .get(GROUP)
                    .get();
            return group.groupState() == GroupState.STABLE
                    && group.members().stream()
                                    .filter(member -> !member.assignment()
                                            .topicPartitions()
                                            .isEmpty())
                                    .count()
                            == threads;
        });
        Awaitility.await()
                .atMost(LIMIT)
                .until(() -> Stream.of(OrderTopology.ORDERS, OrderTopology.PROGRESS)
                                .flatMap(topic -> kafka.endOffsets(topic).values().stream())
                                .mapToLong(end -> end)
                                .sum()
                        > records);
        nodes.forEach(node -> assertThat(node.isAlive()).as(node.lastWords()).isTrue());
    }

    private JsonNode check(String... options) throws Exception {
        Path json = directory.resolve("check.json");
        Path output = directory.resolve("check.log");
        List<String> check = new ArrayList<>(List.of("check", "--bootstrap", kafka.bootstrapServers()));
        check.addAll(List.of("--group", GROUP, "--for", "40s", "--json", json.toString()));
        nodes.forEach(node -> check.addAll(List.of("--pid", String.valueOf(node.pid()))));
        check.addAll(List.of(options));
        Jvm jvm = Jvm.start(dev.laneway.cli.Main.class, JVM_OPTIONS, check, output);
        assertThat(jvm.await(LIMIT)).isTrue();
        assertThat(jvm.exitCode()).as(jvm.lastWords()).isBetween(0, 2);
        System.out.println(Files.readString(output));
        return new ObjectMapper().readTree(json.toFile());
    }

    private static JsonNode finding(JsonNode result, String rule) {
        for (JsonNode finding : result.get("findings")) {
            if (finding.get("rule").asText().equals(rule)) {
                return finding;
            }
        }
        throw new AssertionError("check has no rule " + rule);
    }

    @Test
    @DisplayName("Step 1: two nodes that are busy half of the time: stable")
    void stable() throws Exception {
        nodes(2, "--threads", "2", "--service", "10ms");
        load(180, "--in-flight", "1000");
        await(4, 3_000);
        JsonNode result = check();
        assertThat(result.get("outcome").asText()).as(result.toPrettyString()).isEqualTo("HEALTHY");
        assertThat(result.get("cause").isNull()).as(result.toPrettyString()).isTrue();
        assertThat(result.get("sentence").asText()).startsWith("Healthy");
    }

    @Test
    @DisplayName("Step 2: reads miss the caches: more memory, the page cache first, no instance")
    void reads() throws Exception {
        nodes(
                2,
                "--threads",
                "1",
                "--standbys",
                "0",
                "--block-cache",
                "1",
                "--write-buffers",
                "1",
                "--direct-reads",
                "--property",
                "statestore.cache.max.bytes=0",
                "--property",
                "metrics.recording.level=DEBUG");
        load(4_000, "--in-flight", "40000", "--item-bytes", "2000");
        await(2, 60_000);
        JsonNode result = check();
        assertThat(result.get("outcome").asText()).as(result.toPrettyString()).isEqualTo("LIMITED");
        assertThat(result.get("cause").asText()).as(result.toPrettyString()).isEqualTo("READ_MEMORY");
        assertThat(result.get("remedy").asText()).contains("more memory", "page cache first");
    }

    @Test
    @DisplayName(
            "Steps 5 and 6: with larger write buffers nothing is to be said of the disk; with less load one may go")
    void buffers() throws Exception {
        nodes(3, "--threads", "1", "--service", "10ms", "--block-cache", "64", "--write-buffers", "32");
        load(170, "--in-flight", "1000");
        await(3, 3_000);
        JsonNode busy = check();
        assertThat(busy.get("outcome").asText()).as(busy.toPrettyString()).isEqualTo("HEALTHY");
        assertThat(busy.get("cause").isNull()).as(busy.toPrettyString()).isTrue();
        for (String rule : List.of("M7", "D1")) {
            assertThat(finding(busy, rule).get("status").asText()).as(rule).isEqualTo("OK");
        }

        changeRate(130);
        await(3, 7_000);
        JsonNode idle = check("--set", "idle.share=0.4");
        assertThat(idle.get("outcome").asText()).as(idle.toPrettyString()).isEqualTo("HEALTHY");
        assertThat(idle.get("cause").asText()).as(idle.toPrettyString()).isEqualTo("OVER_PROVISIONED");
        assertThat(finding(idle, "W1").get("observed").asText()).contains("with 2 of 3 processes", "one may go");
    }
}
