package dev.laneway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.laneway.cli.program.Program;
import dev.laneway.cli.program.Stop;
import dev.laneway.cli.program.Verb;
import dev.laneway.ops.check.CheckResult;
import dev.laneway.ops.check.GroupCheck;
import dev.laneway.ops.check.Thresholds;
import dev.laneway.ops.observe.Observations;
import dev.laneway.testkit.EmbeddedKafka;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.StringReader;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
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

    @Test
    @DisplayName("Wrong options of check are refused in one sentence")
    void usage() {
        assertThat(run("check")).isEqualTo(Program.USAGE);
        assertThat(run("check", "--group", "g", "--set", "gc.shore=1")).isEqualTo(Program.USAGE);
        assertThat(errors()).contains("gc.share");
        assertThat(run("check", "--group", "g", "--replay", "x")).isEqualTo(Program.USAGE);
        assertThat(run("check", "--mcp", "--group", "g")).isEqualTo(Program.USAGE);
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
