package dev.laneway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.laneway.cli.chart.SvgChart;
import dev.laneway.cli.program.Program;
import dev.laneway.cli.program.Stop;
import dev.laneway.cli.program.Verb;
import dev.laneway.ops.plan.Goals;
import dev.laneway.ops.plan.Instance;
import dev.laneway.ops.plan.KafkaSettings;
import dev.laneway.ops.plan.Load;
import dev.laneway.ops.plan.LocalState;
import dev.laneway.ops.plan.MeasuredInstance;
import dev.laneway.ops.plan.Mode;
import dev.laneway.ops.plan.Plan;
import dev.laneway.ops.plan.PlanRequest;
import dev.laneway.ops.plan.Planner;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PlanTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @TempDir
    private Path directory;

    private int run(String line) {
        out.reset();
        err.reset();
        PrintStream to = new PrintStream(out, true, StandardCharsets.UTF_8);
        return Main.run(
                new Verb.Streams(to, new PrintStream(err, true, StandardCharsets.UTF_8), new Stop()), line.split(" "));
    }

    private JsonNode json(String line) throws IOException {
        run(line + " --json -");
        return new ObjectMapper().readTree(out.toByteArray());
    }

    private static JsonNode mode(JsonNode json, String name) {
        return StreamSupport.stream(json.path("modes").spliterator(), false)
                .filter(each -> each.path("mode").asText().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static double figure(JsonNode json, String name) {
        return StreamSupport.stream(json.path("figures").spliterator(), false)
                .filter(each -> each.path("name").asText().equals(name))
                .findFirst()
                .orElseThrow()
                .path("value")
                .asDouble();
    }

    @Test
    @DisplayName("B84 the golden values by commands: four modes, too few keys, a finite reserve")
    void golden() throws IOException {
        JsonNode million = json("plan --rate 1000000 --service 10ms --keys 10000 --concurrency 1000");
        assertThat(mode(million, "plain").path("members").asInt()).isEqualTo(10_000);
        assertThat(mode(million, "partition").path("partitions").asInt()).isEqualTo(10_000);
        assertThat(mode(million, "key").path("partitions").asInt()).isEqualTo(100);
        assertThat(mode(million, "unordered").path("members").asInt()).isEqualTo(10);
        JsonNode few = json("plan --rate 1000000 --service 10ms --keys 1000 --concurrency 1000");
        assertThat(mode(few, "key").path("little_rate").asDouble()).isEqualTo(100_000);
        assertThat(few.path("enough").asBoolean()).isFalse();
        JsonNode reserve = json("plan --rate 1000 --service 10ms --keys 100 --concurrency 100 --reserve 100"
                + " --partitions 1 --members 1 --failures 0");
        assertThat(mode(reserve, "key").path("real_rate").asDouble()).isBetween(5_025.0, 5_026.0);
        assertThat(mode(reserve, "key").path("real_limit").asText()).isEqualTo("RESERVE");
    }

    @Test
    @DisplayName("B146 the text explains each figure, fits 80 columns, and says what does not fit")
    void text() {
        assertThat(run("plan --rate 20000 --service 10ms --keys 50000")).isEqualTo(Program.FINE);
        String text = out.toString(StandardCharsets.UTF_8);
        assertThat(text.replaceAll("\\s+", " "))
                .contains("which is Little's law.", "may be gone at any time", "min(W, K B / (B + K - 1))");
        assertThat(text.lines()).allMatch(line -> line.length() <= 80);
        assertThat(run("plan --rate 20000 --service 10ms --keys 50")).isEqualTo(Program.FAILED);
        assertThat(out.toString(StandardCharsets.UTF_8)).contains("! No number of members");
    }

    @ParameterizedTest(name = "{0}")
    @DisplayName("B146 a wrong command line is answered in one sentence with option, value, rule and remedy")
    @CsvSource(
            delimiter = '|',
            value = {
                "plan --service 1ms | --rate is not given but must be: give records a second",
                "plan --rate 5 | --service is not given but must be, unless --from-run is",
                "plan --rate -1 --service 1ms | --rate is -1.0 but must be more than 0",
                "plan --rate NaN --service 1ms | --rate is NaN but must be more than 0",
                "plan --rate 5 --service 1ms --utilisation 2 | --utilisation is 2.0 but must be from 0 to 1",
                "plan --rate 5 --service 1ms --ordering x | --ordering is x but must be one of plain, partition, key",
                "plan --rate 5 --service 1ms --row a/b | --row is a/b but goes with --from-run",
                "plan --rate 5 --service 1ms --chart /no/x | --chart is /no/x but must be in a directory that exists",
                "plan --rate 5 --service 1ms --concurrency 0 | --concurrency is 0 but must be at least 1",
                "plan --rate x --service 1ms | --rate is x but must be a number"
            })
    void wrong(String line, String answer) {
        assertThat(run(line.strip())).isEqualTo(Program.USAGE);
        assertThat(err.toString(StandardCharsets.UTF_8)).contains(answer.strip());
    }

    @Test
    @DisplayName("B146 the chart shows the rate against concurrency, keys and partitions")
    void chart() throws IOException {
        Path file = directory.resolve("plan.svg");
        assertThat(run("plan --rate 2000 --service 10ms --keys 5000 --chart " + file))
                .isEqualTo(Program.FINE);
        assertThat(Files.readString(file)).contains("<svg", "</svg>").contains("stroke");
        Plan plan = Planner.plan(PlanRequest.of(Mode.KEY, Load.of(2_000, 0.01, 5_000), Instance.USUAL, Goals.USUAL));
        SvgChart chart = PlanText.chart(plan);
        assertThat(chart.lines())
                .extracting(SvgChart.Line::name)
                .containsExactly("concurrency", "keys", "partitions", "needed");
        assertThat(chart.lines()).allSatisfy(line -> assertThat(line.up()).isSorted());
        assertThat(chart.svg().length())
                .as("each line is drawn")
                .isGreaterThan(new SvgChart("", "", "", true, chart.lines().subList(0, 1))
                        .svg()
                        .length());
    }

    @Test
    @DisplayName("B146 the time of a record is taken from rows of the benchmark, of the bare loop alone")
    void benchRows() throws IOException {
        Path file = directory.resolve("rows.json");
        Files.writeString(file, """
            [{"scenario":"work","case":"5ms","peer":"bare","ok":true,"rate":198.0,"seconds":10,"cpu_s":0.99},
             {"scenario":"work","case":"5ms","peer":"bare","ok":true,"rate":200.0,"seconds":10,"cpu_s":1},
             {"scenario":"work","case":"5ms","peer":"bare","ok":true,"rate":202.0,"seconds":10,"cpu_s":1.01},
             {"scenario":"work","case":"5ms","peer":"laneway","ok":true,"rate":9000.0,"seconds":10,"cpu_s":3}]
            """);
        JsonNode json = json("plan --rate 1000 --from-run " + file);
        assertThat(json.path("service_ms").asDouble()).isEqualTo(5);
        assertThat(figure(json, "at_once")).isEqualTo(5);
        assertThat(json.path("measured").toString()).contains("200 records/s");
        assertThat(figure(json, "processors")).isPositive();
        assertThat(json("plan --rate 1000 --service 8ms --from-run " + file)
                        .path("service_ms")
                        .asDouble())
                .isEqualTo(8);
        assertThat(run("plan --rate 1000 --row a/b --from-run " + file)).isEqualTo(Program.FAILED);
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("no row of the bare loop with a rate for a/b");
    }

    @Test
    @DisplayName("B146 the time of a record is taken from a recording of consumers at work")
    void recording() throws IOException {
        // Idle ratio 0.2 as Kafka counts it: idle for 0.25 of the time, so 0.75 s for 150 records.
        Path file = recording(0.2, 150);
        JsonNode json = json("plan --rate 1000 --from-run " + file);
        assertThat(json.path("service_ms").asDouble()).isEqualTo(5);
        assertThat(json.path("measured").toString()).contains("75 %", "150 records/s");
        assertThat(run("plan --rate 1000 --from-run " + recording(0.5, 0))).isEqualTo(Program.FAILED);
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("its consumers had no work", "give the time");
        assertThat(run("plan --rate 1000 --from-run " + directory.resolve("none")))
                .isEqualTo(Program.FAILED);
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("--from-run: ", "cannot be read");
    }

    private Path recording(double idle, double rate) throws IOException {
        String sample = """
            {"source":"pid 1","at":%d,"numbers":[\
            ["consumer-metrics","poll-idle-ratio-avg",{"client-id":"a"},%s],\
            ["consumer-fetch-manager-metrics","records-consumed-rate",{"client-id":"a"},%s]],"texts":[]}
            """;
        return Files.writeString(
                directory.resolve("run-" + rate + ".jsonl"),
                "{\"format\":\"laneway-observations\",\"version\":1,\"begun\":\"2026-01-31T12:00:00Z\"}\n"
                        + sample.formatted(1_000, idle, rate)
                        + sample.formatted(3_000, idle, rate));
    }

    @Test
    @DisplayName("docs/plan.md explains every figure of a plan")
    void documented() throws IOException {
        String page = Files.readString(Path.of("..", "docs", "plan.md"));
        for (Mode mode : Mode.values()) {
            Load load = new Load(10_000, 0.002, 100_000, 0, 500, 5_000, 500, 0.0001);
            Plan plan = Planner.plan(new PlanRequest(
                    mode,
                    load,
                    new Instance(64, 0, 64e6, 125e6, 143.75e6, 1e9, 0.2),
                    Goals.USUAL,
                    KafkaSettings.USUAL,
                    new LocalState(36e9, 50e6, 64),
                    MeasuredInstance.NONE));
            plan.figures().forEach(figure -> assertThat(page).contains("`" + figure.name() + "`"));
        }
    }
}
