package dev.laneway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.laneway.testkit.EmbeddedKafka;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** All that is measured, made small, on a real broker. */
class BenchTest {
    private static final Pattern DOCUMENTED =
            Pattern.compile("^\\| `([a-z0-9-]+)` \\| .* \\| ([0-9.]*) ?\\| ([0-9.]*) ?\\|$");

    private final EmbeddedKafka kafka = EmbeddedKafka.shared();

    @Test
    @DisplayName("bench measures all figures; its JSON has the documented keys, its targets are the documented ones")
    void measures(@TempDir Path directory) throws Exception {
        Path json = directory.resolve("bench.json");
        Cli cli = Cli.run(
                "bench",
                "--quick",
                "--scale",
                "0.01",
                "--rounds",
                "1",
                "--bootstrap",
                kafka.bootstrapServers(),
                "--json",
                json.toString());
        assertThat(cli.code()).as(cli.err()).isZero();
        JsonNode report = new ObjectMapper().readTree(Files.readString(json));
        List<String> keys = new ArrayList<>();
        report.fieldNames().forEachRemaining(keys::add);
        report.get("figures").get(0).fieldNames().forEachRemaining(keys::add);
        assertThat(keys).containsExactlyElementsOf(CliDoc.keys("bench"));
        Map<String, String> targets = new LinkedHashMap<>();
        for (JsonNode figure : report.get("figures")) {
            String id = figure.get("id").asText();
            targets.put(id, number(figure.get("must")) + " " + number(figure.get("goal")));
            assertThat(figure.get("rounds")).as(id).hasSize(1);
            if (!id.startsWith("p6")) {
                assertThat(figure.get("median").asDouble()).as(id).isPositive();
            }
        }
        assertThat(targets).containsExactlyEntriesOf(documentedTargets());
        assertThat(report.get("command").asText()).startsWith("./laneway bench --quick --scale 0.01");
        assertThat(cli.out()).contains("p1 t512, round 1 of 2 (warm-up): bare ", "p6-bytes ", "Kafka clients 4.");
        assertThat(cli.err()).contains("loading t512; about ", "p4 concurrency 10000, round 2 of 2; about ");
        assertThat(leftovers()).as("topics and groups of bench").isEmpty();
    }

    @Test
    @DisplayName("The 100 keys are dealt in turn, so that none is longer than the others")
    void dealsInTurn() {
        String topic = "bench-deal";
        kafka.createTopic(topic, 2);
        Loader.Plan plan = new Loader.Plan(topic, 1_000, BenchTopic.K100.keys(), 0, 16, 0);
        Map<String, Object> config = Map.of("bootstrap.servers", kafka.bootstrapServers());
        Loader loader = new Loader(config, plan, BenchTopic.K100.keysOf(plan));
        assertThat(loader.run(() -> false).hottest()).isEqualTo(10);
    }

    @Test
    @DisplayName("A part that needs no broker starts none; a bench that is stopped fails and writes no JSON")
    void stops(@TempDir Path directory) {
        Stop stop = new Stop();
        stop.request();
        Path json = directory.resolve("bench.json");
        Cli cli = Cli.run(stop, "bench", "--only", "p6", "--scale", "0.01", "--json", json.toString());
        assertThat(cli.code()).isEqualTo(Main.FAILED);
        assertThat(cli.err()).contains("laneway: stopped before the end").doesNotContain("broker");
        assertThat(json).doesNotExist();
    }

    private static String number(JsonNode node) {
        return node.isNull() ? "" : node.asDouble() + "";
    }

    private static Map<String, String> documentedTargets() throws Exception {
        Map<String, String> targets = new LinkedHashMap<>();
        for (String line : Files.readAllLines(Path.of("..", "docs", "benchmarks.md"))) {
            Matcher row = DOCUMENTED.matcher(line);
            if (row.matches()) {
                targets.put(row.group(1), asNumber(row.group(2)) + " " + asNumber(row.group(3)));
            }
        }
        return targets;
    }

    private static String asNumber(String text) {
        return text.isEmpty() ? "" : Double.parseDouble(text) + "";
    }

    private List<String> leftovers() throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrapServers()))) {
            List<String> names = new ArrayList<>(admin.listTopics().names().get(30, TimeUnit.SECONDS));
            admin.listGroups().all().get(30, TimeUnit.SECONDS).forEach(group -> names.add(group.groupId()));
            return names.stream()
                    .filter(name -> name.startsWith("laneway-bench-"))
                    .toList();
        }
    }
}
