package dev.laneway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.laneway.cli.program.Program;
import dev.laneway.cli.program.Stop;
import dev.laneway.cli.program.Verb;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SimulateTest {
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

    @Test
    @DisplayName("B148 text, JSON and chart show what came of it, the same for the same seed")
    void shows() throws IOException {
        Path file = directory.resolve("s.svg");
        String line = "simulate --rate 800 --service 10ms --concurrency 10 --members 1 --for 3m --traffic step"
                + " --peak 1500 --scale-at 90s=2 --chart " + file;
        assertThat(run(line)).isEqualTo(Program.FINE);
        String text = out.toString(StandardCharsets.UTF_8);
        assertThat(text).contains("0:03:00", "changed once", "instance-hours", "seed 1");
        assertThat(text.lines()).allMatch(each -> each.length() <= 80);
        assertThat(text.lines().limit(16)).allMatch(each -> each.length() <= 61);
        assertThat(Files.readString(file)).contains("<svg", "</svg>");
        JsonNode json = json(line);
        JsonNode again = json(line);
        assertThat(json.path("rescales").asInt()).isEqualTo(1);
        assertThat(json.path("ticks")).hasSize(18).isEqualTo(again.path("ticks"));
        assertThat(json.path("ticks").path(17).path("members").asInt()).isEqualTo(2);
        assertThat(json(line + " --seed 2").path("done")).isNotEqualTo(json.path("done"));
    }

    @Test
    @DisplayName("B148 rates are read from a trace")
    void trace() throws IOException {
        Path file = Files.writeString(directory.resolve("t.csv"), "seconds,rate\n0,100\n30,500\n");
        JsonNode json = json("simulate --for 1m --tick 30s --trace " + file);
        assertThat(json.path("ticks").path(0).path("append_rate").asDouble()).isBetween(80.0, 120.0);
        assertThat(json.path("ticks").path(1).path("append_rate").asDouble()).isBetween(450.0, 550.0);
        Files.writeString(file, "0,100\n30\n");
        assertThat(run("simulate --trace " + file)).isEqualTo(Program.FAILED);
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("is wrong at line 2", "write lines SECONDS,RATE");
    }

    @Test
    @DisplayName("B148 what would take too long is refused, and a signal ends the rest")
    void ends() {
        assertThat(run("simulate --rate 1e9")).isEqualTo(Program.FAILED);
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("records but must be at most 2,000,000,000");
        Stop stop = new Stop();
        stop.request();
        PrintStream to = new PrintStream(err, true, StandardCharsets.UTF_8);
        assertThat(Main.run(new Verb.Streams(to, to, stop), "simulate", "--rate", "1000", "--for", "24h"))
                .isEqualTo(Program.FAILED);
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("stopped at 10 s of the simulated time");
    }

    @ParameterizedTest(name = "{0}")
    @DisplayName("B148 a wrong command line is answered in one sentence with option, value, rule and remedy")
    @CsvSource(
            delimiter = '|',
            value = {
                "simulate | --rate is not given but must be, unless --trace is",
                "simulate --rate -5 | --rate is -5.0 but must be at least 0",
                "simulate --rate 5 --traffic step | --peak is not given but must be with --traffic",
                "simulate --rate 5 --peak 9 | --peak is 9.0 but goes with --traffic",
                "simulate --rate 5 --skew-shift 5s | but goes with --zipf or --hot-share",
                "simulate --rate 5 --times lognormal | --p99 is not given but goes with --times lognormal",
                "simulate --rate 5 --times lognormal --p99 1h | --p99 is 1 h 0 min but must be from once to 14 times"
                        + " --service",
                "simulate --rate 5 --percentile 50=8ms | --percentile is [50.0] but must be from 0 to 100",
                "simulate --rate 5 --percentile x=8ms | --percentile is x but must be",
                "simulate --rate 5 --scale-at 5s=0 | --scale-at is 0 but must be at least 1",
                "simulate --rate 5 --keys 5 | --keys is 5 but must be at least --partitions, 12",
                "simulate --rate 5 --warm-up 1h | --warm-up is 1 h 0 min but must be shorter than --for",
                "simulate --rate 5 --eager | --eager is given but goes with --scale-at",
                "simulate --rate 5 --zipf 99 | --zipf is 99 but must be at most 10"
            })
    void wrong(String line, String answer) {
        assertThat(run(line.strip())).isEqualTo(Program.USAGE);
        assertThat(err.toString(StandardCharsets.UTF_8)).contains(answer.strip());
    }
}
