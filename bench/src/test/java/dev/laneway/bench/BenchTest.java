package dev.laneway.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.bench.measure.ArmResult;
import dev.laneway.bench.measure.ArmSpec;
import dev.laneway.bench.scenario.BenchOrder;
import dev.laneway.bench.scenario.Case;
import dev.laneway.bench.scenario.ScenarioMicro;
import dev.laneway.bench.scenario.Size;
import dev.laneway.bench.workload.ArmProcess;
import dev.laneway.bench.workload.MicroWorkload;
import dev.laneway.cli.program.Stop;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A scenario made small, with a real broker and real arms. */
class BenchTest {
    private static final Pattern KEYS = Pattern.compile("^\\| (`[a-z_0-9]+`(?:, `[a-z_0-9]+`)*) \\|.*");

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final PrintStream stream = new PrintStream(out, true, StandardCharsets.UTF_8);

    @Test
    @DisplayName("Two peers are measured and checked; rows have the documented keys; reports are written")
    void measures(@TempDir Path directory) throws Exception {
        BenchOrder order = new BenchOrder(
                "./laneway bench --scale 0.01",
                true,
                List.of("plain"),
                List.of("bare", "laneway"),
                1,
                0.01,
                directory,
                stream,
                stream,
                new Stop());
        Bench benchmarks = new Bench();
        List<Map<String, @Nullable Object>> rows = benchmarks.run(order);
        assertThat(rows).extracting(row -> row.get("peer")).containsExactly("bare", "laneway");
        assertThat(rows).allSatisfy(row -> {
            assertThat(row.get("ok")).as(row.toString()).isEqualTo(true);
            assertThat((Double) row.get("rate")).isPositive();
            assertThat(row.get("ratio_to_bare") == null).isEqualTo("bare".equals(row.get("peer")));
            assertThat(row.keySet()).containsExactlyElementsOf(documentedKeys());
        });
        assertThat(Files.readAllLines(directory.resolve("rows.jsonl"))).hasSize(2);
        assertThat(Files.readString(directory.resolve("report.md")))
                .contains("### plain t512", "| laneway |", "./laneway bench --scale 0.01");
    }

    @Test
    @DisplayName("The bare loop that commits once a second has committed all of a lap at its end")
    void commitsAtAnInterval() throws Exception {
        BenchOrder order = new BenchOrder(
                "./laneway bench --scale 0.01",
                true,
                List.of("many-keys"),
                List.of("bare-interval"),
                1,
                0.01,
                null,
                stream,
                stream,
                new Stop());
        Bench benchmarks = new Bench();
        List<Map<String, @Nullable Object>> rows = benchmarks.run(order);
        assertThat(rows).extracting(row -> row.get("case")).containsExactly("t512", "t100");
        assertThat(rows)
                .allSatisfy(row -> assertThat(row.get("ok")).as(row.toString()).isEqualTo(true));
    }

    @Test
    @DisplayName(
            "Beside stuck keys all others are done, kill -9 repeats none of them, and released keys keep their order")
    void measuresStuckKeys() throws Exception {
        BenchOrder order = new BenchOrder(
                "./laneway bench --scale 0.01",
                false,
                List.of("stuck-key"),
                List.of("laneway"),
                null,
                0.01,
                null,
                stream,
                stream,
                new Stop());
        List<Map<String, @Nullable Object>> rows = new Bench().run(order);
        assertThat(rows)
                .extracting(row -> row.get("case"))
                .containsExactly("no-op", "wait-1ms", "restart", "released", "slow-key");
        assertThat(rows)
                .allSatisfy(row -> assertThat(row.get("ok")).as(row.toString()).isEqualTo(true));
        assertThat(out.toString(StandardCharsets.UTF_8))
                .containsPattern("P14 no-op done .* goal")
                .containsPattern("P14 released .* goal")
                .containsPattern("P15 kept .* goal")
                .containsPattern("P15  .* s to the first new record .* (goal|must|no)");
    }

    @Test
    @DisplayName("Records that wait for their time, or for their next attempt, are handled once and never early")
    void measuresDelays() throws Exception {
        BenchOrder order = new BenchOrder(
                "./laneway bench --scale 0.01",
                false,
                List.of("delays"),
                List.of("laneway"),
                null,
                0.01,
                null,
                stream,
                stream,
                new Stop());
        List<Map<String, @Nullable Object>> rows = new Bench().run(order);
        assertThat(rows).extracting(row -> row.get("case")).containsExactly("any", "rising", "retry");
        assertThat(rows)
                .allSatisfy(row -> assertThat(row.get("ok")).as(row.toString()).isEqualTo(true));
        assertThat(out.toString(StandardCharsets.UTF_8)).containsPattern("delay any .* (goal|must|no)");
    }

    @Test
    @DisplayName("An arm that fails, or that does not end, is a row that says so")
    void reportsFailures() throws Exception {
        ArmProcess arms = new ArmProcess(Path.of(".."), new Stop());
        ArmSpec wrong = new ArmSpec("nonsense", "bare", "", "", "", 0, 0, 0, Map.of());
        assertThat(arms.run(wrong, Duration.ofSeconds(60)).failure()).contains("no workload is called nonsense");
        assertThat(arms.run(wrong, Duration.ZERO).failure()).startsWith("had not ended after 0 s and was killed");
    }

    @Test
    @DisplayName("Each part by itself is a JMH benchmark that there is, in an arm, with its time and its bytes")
    void runsJmh() throws Exception {
        assertThat(MicroWorkload.METHODS).containsOnlyKeys(ScenarioMicro.NAMES);
        for (Case each : new ScenarioMicro().cases(new Size(0.02, false))) {
            ArmSpec spec = new ArmSpec(each.workload(), "laneway", "", "", "", 0, 1, 1, each.params());
            ArmResult result = new ArmProcess(Path.of(".."), new Stop()).run(spec, Duration.ofMinutes(2));
            assertThat(result.failure()).as(each.name()).isNull();
            assertThat(result.figures().get("ns_per_op")).as(each.name()).isPositive();
            assertThat(result.allocBytesPerRecord()).as(each.name()).isNotNull();
        }
    }

    private static List<String> documentedKeys() throws Exception {
        String text = Files.readString(Path.of("..", "docs", "cli.md"));
        int start = text.indexOf("\n## bench\n");
        List<String> keys = new ArrayList<>();
        text.substring(start, text.indexOf("\n## ", start + 1)).lines().forEach(line -> {
            Matcher row = KEYS.matcher(line);
            if (row.matches()) {
                keys.addAll(List.of(row.group(1).replace("`", "").split(", ", -1)));
            }
        });
        return keys;
    }
}
