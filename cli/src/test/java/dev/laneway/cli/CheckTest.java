package dev.laneway.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import dev.laneway.cli.program.Program;
import dev.laneway.cli.program.Stop;
import dev.laneway.cli.program.Verb;
import dev.laneway.ops.check.CheckResult;
import dev.laneway.ops.check.GroupCheck;
import dev.laneway.ops.check.Thresholds;
import dev.laneway.ops.observe.Observations;
import dev.laneway.testkit.EmbeddedKafka;
import dev.laneway.testkit.SaslMechanism;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.StringReader;
import java.io.Writer;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.UUID;
import java.util.stream.IntStream;
import javax.management.ObjectName;
import javax.xml.parsers.DocumentBuilderFactory;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CheckTest {
    private static final EmbeddedKafka KAFKA = EmbeddedKafka.shared();

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final ObjectMapper json = new ObjectMapper();

    @TempDir
    private Path directory;

    private int run(String... args) {
        PrintStream to = new PrintStream(out, true, StandardCharsets.UTF_8);
        return Main.run(new Verb.Streams(to, new PrintStream(err, true, StandardCharsets.UTF_8), new Stop()), args);
    }

    private String errors() {
        return err.toString(StandardCharsets.UTF_8);
    }

    private static String abandoned() throws Exception {
        String topic = "check-" + UUID.randomUUID();
        KAFKA.createTopic(topic, 1);
        KAFKA.produce(List.of(new ProducerRecord<>(topic, new byte[1]), new ProducerRecord<>(topic, new byte[1])));
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", KAFKA.bootstrapServers()))) {
            admin.alterConsumerGroupOffsets(topic, Map.of(new TopicPartition(topic, 0), new OffsetAndMetadata(0)))
                    .all()
                    .get();
        }
        return topic;
    }

    @Test
    @DisplayName(
            "B83 check names a group that nobody reads for, as text, JSON and JUnit XML; a recording gives the same")
    void abandonedGroup() throws Exception {
        String group = abandoned();
        Path recorded = directory.resolve("seen.jsonl");
        Path junit = directory.resolve("junit.xml");
        int code = run(
                "check",
                "--bootstrap",
                KAFKA.bootstrapServers(),
                "--group",
                group,
                "--for",
                "1s",
                "--interval",
                "200ms",
                "--record",
                recorded.toString(),
                "--junit",
                junit.toString(),
                "--json",
                "-");
        assertThat(code).as(errors()).isEqualTo(2);
        JsonNode verdict = json.readTree(out.toByteArray());
        assertThat(verdict.get("outcome").asText()).isEqualTo("BROKEN");
        assertThat(verdict.get("cause").asText()).isEqualTo("NO_MEMBERS");
        assertThat(errors()).contains(group + ": BROKEN, no-members").contains("2 records wait");
        int failures = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new ByteArrayInputStream(Files.readAllBytes(junit)))
                .getElementsByTagName("failure")
                .getLength();
        assertThat(failures).isPositive();

        out.reset();
        assertThat(run("check", "--replay", recorded.toString(), "--json", "-")).isEqualTo(2);
        assertThat(json.readTree(out.toByteArray())).isEqualTo(verdict);
    }

    @Test
    @DisplayName("B83 check of an unknown group is unknown, and says why in one sentence")
    void unknownGroup() {
        int code = run(
                "check",
                "--bootstrap",
                KAFKA.bootstrapServers(),
                "--group",
                "none-" + UUID.randomUUID(),
                "--for",
                "1ms");
        assertThat(code).isEqualTo(3);
        assertThat(errors()).contains("does not exist").doesNotContain("\tat ");
    }

    @Test
    @DisplayName("B83 check without a broker ends within its limit and says that none answers")
    void noBroker() throws Exception {
        try (ServerSocket silent = new ServerSocket(0)) {
            String address = "localhost:" + silent.getLocalPort();
            int code = run("check", "--bootstrap", address, "--group", "g", "--for", "1ms", "--broker-limit", "700ms");
            assertThat(code).as(errors()).isEqualTo(2);
            assertThat(out.toString(StandardCharsets.UTF_8)).contains("broker-away");
        }
    }

    @Test
    @DisplayName("B83 check of a broker that has no address says so")
    void noAddress() {
        assertThat(run("check", "--bootstrap", "nosuch.invalid:9092", "--group", "g", "--for", "1ms"))
                .isEqualTo(Program.FAILED);
        assertThat(errors())
                .contains("cannot connect to nosuch.invalid:9092: No resolvable bootstrap urls")
                .doesNotContain("\tat ");
    }

    @Test
    @DisplayName("B83 check of a process that does not exist says so, and is unknown")
    void noProcess() {
        assertThat(run("check", "--pid", "4194304999", "--for", "1ms")).isEqualTo(3);
        assertThat(errors()).contains("4194304999").doesNotContain("\tat ");
    }

    /** The answer to an input that cannot be read: a sentence, in time, and no verdict. */
    private void refused(String words, String... args) {
        List<String> all = new ArrayList<>(List.of("check", "--for", "1ms", "--broker-limit", "2s"));
        all.addAll(List.of(args));
        long start = System.nanoTime();
        assertThat(run(all.toArray(String[]::new))).as(errors()).isEqualTo(3);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
        assertThat(errors()).contains(words).doesNotContain("\tat ");
        assertThat(errors().lines().filter(line -> line.startsWith("laneway: ")))
                .hasSize(1);
    }

    @Test
    @DisplayName("B83 JMX that nobody serves, or that does not answer, is told in one sentence and in time")
    void unreachableJmx() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            refused("did not answer within 2 s", "--jmx", "127.0.0.1:" + silent.getLocalPort());
        }
    }

    @Test
    @DisplayName("B83 a closed JMX port is told in one sentence")
    void closedJmx() {
        refused("cannot be read by JMX", "--jmx", "127.0.0.1:1");
    }

    @Test
    @DisplayName("B83 a page without metrics of Kafka is no ground for a verdict")
    void absentMetrics() throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        byte[] page = "up 1\n".getBytes(StandardCharsets.UTF_8);
        server.createContext("/", exchange -> {
            exchange.sendResponseHeaders(200, page.length);
            exchange.getResponseBody().write(page);
            exchange.close();
        });
        server.start();
        try {
            int port = server.getAddress().getPort();
            assertThat(run("check", "--for", "1ms", "--prometheus", "http://127.0.0.1:" + port + "/metrics"))
                    .isEqualTo(3);
            assertThat(out.toString(StandardCharsets.UTF_8)).contains("UNKNOWN");
            assertThat(errors()).doesNotContain("\tat ");
        } finally {
            server.stop(0);
        }
    }

    @Test
    @DisplayName("B83 a right that is missing is named, and the verdict is unknown")
    void missingRight() throws Exception {
        try (EmbeddedKafka secured = EmbeddedKafka.builder()
                .sasl(SaslMechanism.PLAIN)
                .user("app", "secret")
                .acls()
                .start()) {
            Path config = directory.resolve("client.properties");
            Properties properties = new Properties();
            properties.putAll(secured.security().clientProperties("app"));
            try (Writer to = Files.newBufferedWriter(config)) {
                properties.store(to, null);
            }
            refused(
                    "DESCRIBE",
                    "--bootstrap",
                    secured.bootstrapServers(),
                    "--config",
                    config.toString(),
                    "--group",
                    "shop");
        }
    }

    @Test
    @DisplayName("B143 what consume shows of its Laneway is enough for a verdict by the process alone")
    void consumeSeenFromOutside() throws Exception {
        String topic = "seen-" + UUID.randomUUID();
        KAFKA.createTopic(topic, 1);
        KAFKA.produce(IntStream.range(0, 50_000)
                .mapToObj(i -> new ProducerRecord<>(topic, ("key " + i).getBytes(StandardCharsets.UTF_8), new byte[1]))
                .toList());
        Stop stop = new Stop();
        PrintStream none = new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8);
        Thread consuming = Thread.ofPlatform()
                .start(() -> Main.run(
                        new Verb.Streams(none, none, stop),
                        "consume",
                        "--bootstrap",
                        KAFKA.bootstrapServers(),
                        "--topic",
                        topic,
                        "--group",
                        topic,
                        "--name",
                        topic,
                        "--work",
                        "10ms"));
        try {
            ObjectName bean = new ObjectName("dev.laneway:type=laneway,client-id=" + topic);
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> ManagementFactory.getPlatformMBeanServer().isRegistered(bean));
            int code = run(
                    "check",
                    "--pid",
                    String.valueOf(ProcessHandle.current().pid()),
                    "--for",
                    "5s",
                    "--interval",
                    "500ms");
            assertThat(code).as(errors()).isIn(Program.FINE, Program.FAILED);
            assertThat(out.toString(StandardCharsets.UTF_8)).contains("HEALTHY", "Laneway is healthy");
        } finally {
            stop.request();
            consuming.join();
        }
        assertThat(ManagementFactory.getPlatformMBeanServer()
                        .queryNames(new ObjectName("dev.laneway:type=laneway,client-id=" + topic), null))
                .isEmpty();
    }

    @Test
    @DisplayName("Wrong options of check are refused in one sentence")
    void usage() {
        assertThat(run("check")).isEqualTo(Program.USAGE);
        assertThat(run("check", "--group", "g", "--set", "gc.shore=1")).isEqualTo(Program.USAGE);
        assertThat(errors()).contains("gc.share");
        assertThat(run("check", "--group", "g", "--replay", "x")).isEqualTo(Program.USAGE);
        assertThat(run("check", "--pid", "1", "--keys")).isEqualTo(Program.USAGE);
        assertThat(errors()).contains("--keys is given but needs a group: give --group");
        assertThat(run("check", "--mcp", "--group", "g")).isEqualTo(Program.USAGE);
        assertThat(run("check", "--mcp", "--json", "-")).isEqualTo(Program.USAGE);
        assertThat(run("check", "--pid", "0")).isEqualTo(Program.USAGE);
        assertThat(run("check", "--group", "g", "--for", "-1s")).isEqualTo(Program.USAGE);
    }

    @Test
    @DisplayName("The text of a verdict fits into any width")
    void widths() {
        CheckResult result = GroupCheck.judge(new Observations(List.of()), Thresholds.USUAL);
        for (int width : List.of(40, 60, 80, 200)) {
            assertThat(CheckText.lines(result, "shop", width)).allMatch(line -> line.length() <= width);
        }
    }

    @Test
    @DisplayName("B83 check serves a read-only tool of the Model Context Protocol")
    void contextProtocol() throws Exception {
        CheckMcp server = new CheckMcp(inputs -> {
            CheckResult result = GroupCheck.judge(new Observations(List.of()), Thresholds.USUAL);
            return new CheckMcp.Result(String.valueOf(inputs), CheckJson.of(result, "shop"));
        });
        String requests = """
            {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26"}}
            {"jsonrpc":"2.0","method":"notifications/initialized"}
            {"jsonrpc":"2.0","id":"two","method":"tools/list"}
            {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"check","arguments":{"group":"shop"}}}
            {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"check","arguments":{"pid":["x"]}}}
            {"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"reset"}}
            {"jsonrpc":"2.0","id":6,"method":"no/such"}
            nonsense
            []
            """;
        server.serve(new StringReader(requests), new PrintStream(out, true, StandardCharsets.UTF_8));
        List<JsonNode> answers = out.toString(StandardCharsets.UTF_8)
                .lines()
                .map(line -> {
                    try {
                        return json.readTree(line);
                    } catch (java.io.IOException wrong) {
                        throw new AssertionError(line, wrong);
                    }
                })
                .toList();
        assertThat(answers).hasSize(8);
        assertThat(answers.get(0).at("/result/protocolVersion").asText()).isEqualTo("2025-03-26");
        assertThat(answers.get(1).at("/result/tools/0/annotations/readOnlyHint").asBoolean())
                .isTrue();
        assertThat(answers.get(1).at("/id").asText()).isEqualTo("two");
        assertThat(answers.get(2).at("/result/structuredContent/outcome").asText())
                .isEqualTo("UNKNOWN");
        assertThat(answers.get(2).at("/result/content/0/text").asText()).contains("shop");
        assertThat(answers.stream()
                        .skip(3)
                        .map(answer -> answer.at("/error/code").asInt()))
                .containsExactly(-32_602, -32_602, -32_601, -32_700, -32_600);
    }
}
