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
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.GroupState;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The guide's story with real processes, a hundredth of its size, judged by {@code check} from outside, which is a
 * process of its own too. Handlers wait, so that most of the busy time is the same on every machine. Runs with
 * {@code ./laneway test --long}.
 */
@Tag("long")
class StoryLiveTest {
    private static final String GROUP = "order-tracker";
    private static final String PARTITIONS = "6";
    /** Orders whose state is many times the small block cache, and less than half of the large one. */
    private static final int READS_ORDERS = 150_000;

    /** What two nodes do of reads that miss their caches, on a usual disk. */
    private static final int READS_RATE = 4_000;

    /** More than two nodes do on a machine of this size, however fast its disk is. */
    private static final int MOST_READS_RATE = 12_000;

    /** Nodes that leave so much of what comes fall behind. */
    private static final double BEHIND = 0.1;

    /** So many that what clients tell of the last minute is no longer of the rate before. */
    private static final int IDLE_RECORDS = 1_200;

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
    private int started;

    @BeforeEach
    void start() throws IOException {
        Files.createDirectories(directory);
        kafka = EmbeddedKafka.start();
    }

    @AfterEach
    void end() throws Exception {
        endNodes();
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
            Path output = directory.resolve("node-" + ++started + ".log");
            nodes.add(Jvm.start(Main.class, JVM_OPTIONS, run, output));
        }
    }

    /** What they keep is found again by those that are started next. */
    private void endNodes() throws InterruptedException {
        nodes.forEach(Jvm::terminate);
        for (Jvm node : nodes) {
            if (!node.await(Duration.ofSeconds(30))) {
                node.kill();
                node.await(Duration.ofSeconds(5));
            }
        }
        nodes.clear();
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
        Awaitility.await().atMost(LIMIT).until(() -> written() > records);
        nodes.forEach(node -> assertThat(node.isAlive()).as(node.lastWords()).isTrue());
    }

    private long written() {
        return Stream.of(OrderTopology.ORDERS, OrderTopology.PROGRESS)
                .flatMap(topic -> kafka.endOffsets(topic).values().stream())
                .mapToLong(end -> end)
                .sum();
    }

    private long done() {
        return kafka.committed(GROUP).values().stream()
                .mapToLong(OffsetAndMetadata::offset)
                .sum();
    }

    /** Waits until all that was written is done, while no more comes. */
    private void awaitDone() {
        Awaitility.await().atMost(LIMIT).until(() -> done() == written());
    }

    /** Raises the rate until two nodes fall behind, and returns it. */
    private int tooHighRate() throws IOException {
        for (int rate = READS_RATE; rate < MOST_READS_RATE; rate += rate / 8) {
            changeRate(rate);
            await(2, written() + 5L * rate); // What has come while they started is done.
            long came = written();
            long left = came - done();
            await(2, came + 10L * rate);
            long end = written();
            if (end - done() - left > BEHIND * (end - came)) {
                return rate;
            }
        }
        throw new AssertionError("two nodes keep up with nearly " + MOST_READS_RATE + " reads a second");
    }

    private JsonNode check(String... options) throws Exception {
        Path json = directory.resolve("check.json");
        Path output = directory.resolve("check.log");
        List<String> check = new ArrayList<>(List.of("check", "--bootstrap", kafka.bootstrapServers()));
        check.addAll(List.of("--group", GROUP, "--json", json.toString()));
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
        nodes(2, "--threads", "2", "--service", "20ms");
        load(90, "--in-flight", "500");
        await(4, 2_000);
        JsonNode result = check("--for", "40s");
        assertThat(result.get("outcome").asText()).as(result.toPrettyString()).isEqualTo("HEALTHY");
        assertThat(result.get("cause").isNull()).as(result.toPrettyString()).isTrue();
        assertThat(result.get("sentence").asText()).startsWith("Healthy");
    }

    /** Reads go past the page cache, so that the block cache is all the memory that there is. */
    private void nodesWithBlockCache(String mib) {
        List<String> options = new ArrayList<>(List.of("--threads", "1", "--standbys", "0", "--direct-reads"));
        options.addAll(List.of("--block-cache", mib, "--write-buffers", "3"));
        options.addAll(List.of("--property", "statestore.cache.max.bytes=0"));
        options.addAll(List.of("--property", "metrics.recording.level=DEBUG"));
        nodes(2, options.toArray(String[]::new));
    }

    @Test
    @DisplayName("Step 2: reads miss the caches: more memory, the page cache first, no instance")
    void reads() throws Exception {
        nodesWithBlockCache("256");
        load(6_000, "--in-flight", String.valueOf(READS_ORDERS), "--item-bytes", "300");
        await(2, READS_ORDERS);
        changeRate(0);
        awaitDone();

        // The same state, with less memory.
        endNodes();
        nodesWithBlockCache("4");
        await(2, 0);
        int rate = tooHighRate();
        JsonNode small = check("--for", "70s"); // RocksDB tells of hits once a minute.
        assertThat(small.get("outcome").asText()).as(small.toPrettyString()).isEqualTo("LIMITED");
        assertThat(small.get("cause").asText()).as(small.toPrettyString()).isEqualTo("READ_MEMORY");
        assertThat(small.get("remedy").asText()).contains("more memory", "page cache first");
        assertThat(finding(small, "M6").get("diagnosis").asText())
                .contains("of block reads", "are hits", "reads a record go to the disk");

        // The same load, with more memory.
        changeRate(0);
        awaitDone();
        endNodes();
        nodesWithBlockCache("256");
        changeRate(rate);
        await(2, written() + 10L * rate);
        JsonNode roomy = check("--for", "40s");
        assertThat(roomy.get("outcome").asText()).as(roomy.toPrettyString()).isEqualTo("HEALTHY");
    }

    @Test
    @DisplayName(
            "Steps 5 and 6: with larger write buffers nothing is to be said of the disk; with less load one may go")
    void buffers() throws Exception {
        nodes(3, "--threads", "1", "--service", "20ms", "--block-cache", "64", "--write-buffers", "32");
        load(85, "--in-flight", "500");
        await(3, 2_000);
        JsonNode busy = check("--for", "40s");
        assertThat(busy.get("outcome").asText()).as(busy.toPrettyString()).isEqualTo("HEALTHY");
        assertThat(busy.get("cause").isNull()).as(busy.toPrettyString()).isTrue();
        for (String rule : List.of("M7", "D1")) {
            assertThat(finding(busy, rule).get("status").asText()).as(rule).isEqualTo("OK");
        }

        changeRate(40);
        await(3, written() + IDLE_RECORDS);
        JsonNode idle = check("--for", "40s", "--set", "idle.share=0.4");
        assertThat(idle.get("outcome").asText()).as(idle.toPrettyString()).isEqualTo("HEALTHY");
        assertThat(idle.get("cause").asText()).as(idle.toPrettyString()).isEqualTo("OVER_PROVISIONED");
        assertThat(finding(idle, "W1").get("observed").asText()).contains("with 2 of 3 processes", "one may go");
    }
}
