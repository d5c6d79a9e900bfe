package dev.laneway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.laneway.cli.program.Program;
import dev.laneway.ops.scale.Decision;
import dev.laneway.ops.scale.DecisionLog;
import dev.laneway.ops.scale.DecisionLogReader;
import dev.laneway.ops.scale.GroupShape;
import dev.laneway.ops.scale.IncidentReplay;
import dev.laneway.ops.scale.LogEntry;
import dev.laneway.ops.scale.ScalingDecider;
import dev.laneway.ops.scale.ScalingMetrics;
import dev.laneway.ops.scale.ScalingPolicy;
import dev.laneway.ops.scale.ScalingState;
import dev.laneway.ops.scale.SourceLoad;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AutoscaleTest {
    private static final long START = Instant.parse("2026-01-31T12:00:00Z").toEpochMilli();

    @TempDir
    private Path directory;

    private Path log;

    /** Two members that are too few from the beginning on, under a policy that allows no more. */
    @BeforeEach
    void record() {
        log = directory.resolve("decisions.jsonl");
        ScalingPolicy policy = ScalingPolicy.of(Map.of("replicas.max", "2"));
        ScalingState state = ScalingState.NEW;
        try (DecisionLog writing = DecisionLog.to(log, told -> {
            throw new AssertionError(told);
        })) {
            for (int tick = 0; tick < 60; tick++) {
                ScalingMetrics metrics = ScalingMetrics.of(
                        START + tick * 10_000L,
                        GroupShape.of(2),
                        List.of(SourceLoad.of("orders", 32, tick * 2_000, 400, 200)),
                        1.0);
                Decision decision = ScalingDecider.decide(state, metrics, policy);
                writing.append(LogEntry.of("shop", "act", policy, state, metrics, decision));
                state = decision.next();
            }
        }
    }

    private Cli run(String... args) {
        List<String> line = new ArrayList<>(List.of(args));
        line.addAll(List.of("--log", log.toString()));
        return Cli.run(line.toArray(String[]::new));
    }

    @Test
    @DisplayName("B166 explain shows the decision at a time, what was known, and what was held back")
    void explains() {
        Cli last = run("autoscale", "explain");
        assertThat(last.code()).as(last.err()).isEqualTo(Program.FINE);
        assertThat(last.out())
                .contains("shop at 2026-01-31T12:09:50Z (act, decision 59)")
                .contains("HOLD at 2: members are 200 % busy with what comes")
                .contains("at-limit: replicas.max allows no more than 2 members")
                .contains("orders: 400 in/s, 200 done/s, 118,000 waiting, 32 partitions; needs");
        Cli early = run("autoscale", "explain", "--at", "2026-01-31T12:00:25");
        assertThat(early.out())
                .contains("12:00:20Z (act, decision 2)")
                .contains("stabilising: the group has settled 20 s ago", "until 2026-01-31T12:00:30Z");
        assertThat(run("autoscale", "explain", "--at", "2026-01-31T12:00:25+00:00")
                        .out())
                .isEqualTo(early.out());
    }

    @Test
    @DisplayName("B166 why-not says what is against a number of members")
    void whyNot() {
        Cli cli = run("autoscale", "why-not", "5");
        assertThat(cli.code()).as(cli.err()).isEqualTo(Program.FINE);
        assertThat(cli.out()).contains("Why not 5 at 2026-01-31T12:09:50Z?", "replicas.max allow 1 to 2");
    }

    @Test
    @DisplayName("B166 replay decides as the log does, and with another policy shows what would have been")
    void replays() {
        Cli same = run("autoscale", "replay");
        assertThat(same.code()).as(same.err()).isEqualTo(Program.FINE);
        assertThat(same.out()).contains("Recorded: 0 changes", "Replayed: 0 changes");
        Cli other = run("autoscale", "replay", "--set", "replicas.max=16");
        assertThat(other.out())
                .contains("was HOLD at 2, would be UP from 2 to 6")
                .contains("Recorded: 0 changes", "Replayed: 1 changes");
    }

    @Test
    @DisplayName("B166 a log with torn lines, of no log, without a decision: each says so in one sentence")
    void damagedLogs() throws IOException {
        Files.writeString(log, "{\"tick\":60,\"app", StandardOpenOption.APPEND);
        assertThat(run("autoscale", "explain").out()).contains("1 damaged lines of the log are left out");
        Cli before = run("autoscale", "explain", "--at", "2026-01-31T11:00:00Z");
        assertThat(before.code()).isEqualTo(Program.FAILED);
        assertThat(before.err())
                .contains("no decision at or before 2026-01-31T11:00:00Z")
                .doesNotContain("\tat ");
        Cli between = run("autoscale", "replay", "--to", "2026-01-31T11:00:00Z");
        assertThat(between.err()).contains("no decision in that time").doesNotContain("\tat ");
        Files.writeString(log, Files.readString(log).replace("\"replicas.max\"", "\"replicas.later\""));
        for (String verb : List.of("why-not 3", "replay")) {
            Cli later = run(("autoscale " + verb).split(" ", -1));
            assertThat(later.code()).isEqualTo(Program.FAILED);
            assertThat(later.err()).contains("replicas.later is no option").doesNotContain("\tat ");
        }
        Files.writeString(log, "hello\n");
        Cli none = run("autoscale", "why-not", "3");
        assertThat(none.code()).isEqualTo(Program.FAILED);
        assertThat(none.err()).contains("is no decision log").doesNotContain("\tat ");
    }

    @Test
    @DisplayName("The text of decisions fits into any width")
    void widths() {
        List<LogEntry> entries = new DecisionLogReader(log).between(0, Long.MAX_VALUE);
        List<IncidentReplay.Step> steps = IncidentReplay.of(entries, ScalingPolicy.of(Map.of("replicas.max", "16")));
        for (int width : List.of(40, 60, 80, 200)) {
            assertThat(AutoscaleText.explained(entries.getLast(), width)).allMatch(line -> line.length() <= width);
            assertThat(AutoscaleText.replayed(steps, 40, width)).allMatch(line -> line.length() <= width);
        }
    }

    @Test
    @DisplayName("docs/cli.md has every JSON key of autoscale, in the order of the reports")
    void keysAreDocumented() throws IOException {
        Path json = directory.resolve("out.json");
        ObjectMapper mapper = new ObjectMapper();
        assertThat(run("autoscale", "explain", "--json", json.toString()).code())
                .isZero();
        JsonNode explained = mapper.readTree(json.toFile());
        Set<String> keys = names(explained);
        keys.addAll(names(explained.get("held_back").get(0)));
        assertThat(CliDoc.keys("autoscale explain")).containsExactlyInAnyOrderElementsOf(keys);
        assertThat(run("autoscale", "why-not", "5", "--json", json.toString()).code())
                .isZero();
        assertThat(CliDoc.keys("autoscale why-not"))
                .containsExactlyInAnyOrderElementsOf(names(mapper.readTree(json.toFile())));
        assertThat(run("autoscale", "replay", "--json", json.toString()).code()).isZero();
        JsonNode replayed = mapper.readTree(json.toFile());
        Set<String> steps = names(replayed);
        steps.addAll(names(replayed.get("decisions").get(0)));
        assertThat(CliDoc.keys("autoscale replay")).containsExactlyInAnyOrderElementsOf(steps);
        assertThat(replayed.get("decisions")).hasSize(60);
    }

    private static Set<String> names(JsonNode object) {
        Set<String> names = new LinkedHashSet<>();
        object.fieldNames().forEachRemaining(names::add);
        return names;
    }
}
