package dev.laneway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.CommitMode;
import dev.laneway.Counters;
import dev.laneway.Ordering;
import dev.laneway.cli.program.Stop;
import dev.laneway.cli.program.Verb;
import dev.laneway.cli.workload.Audit;
import dev.laneway.cli.workload.CopyHeaders;
import dev.laneway.cli.workload.Loader;
import dev.laneway.cli.workload.ParallelRun;
import dev.laneway.ops.GroupKind;
import dev.laneway.ops.GroupLag;
import dev.laneway.ops.LagStatus;
import dev.laneway.ops.PartitionLag;
import dev.laneway.ops.check.CheckResult;
import dev.laneway.ops.check.GroupCheck;
import dev.laneway.ops.check.Thresholds;
import dev.laneway.ops.observe.Observations;
import dev.laneway.ops.plan.Goals;
import dev.laneway.ops.plan.Instance;
import dev.laneway.ops.plan.Load;
import dev.laneway.ops.plan.Mode;
import dev.laneway.ops.plan.Plan;
import dev.laneway.ops.plan.PlanRequest;
import dev.laneway.ops.plan.Planner;
import dev.laneway.ops.simulate.Group;
import dev.laneway.ops.simulate.Keys;
import dev.laneway.ops.simulate.Scenario;
import dev.laneway.ops.simulate.ServiceTime;
import dev.laneway.ops.simulate.Simulation;
import dev.laneway.ops.simulate.SimulationResult;
import dev.laneway.ops.simulate.Span;
import dev.laneway.ops.simulate.Traffic;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

class CliDocTest {
    @Test
    @DisplayName("The help of every verb tells each option's meaning and default")
    void optionsAreExplained() {
        commands().forEach((name, command) -> {
            for (OptionSpec option : command.getCommandSpec().options()) {
                if (!option.hidden()) {
                    String text = String.join(" ", option.description());
                    assertThat(text).as("%s %s", name, option.longestName()).isNotBlank();
                    if (option.defaultValue() != null) {
                        assertThat(text).as("%s %s", name, option.longestName()).contains(option.defaultValue());
                    }
                }
            }
        });
    }

    @Test
    @DisplayName("docs/cli.md names no option that no help has")
    void namedOptionsExist() {
        assertThat(CliDoc.optionsOfHelp()).containsAll(CliDoc.options());
    }

    @Test
    @DisplayName("Every verb has a section, and every section of a verb has its verb")
    void verbsAreDocumented() {
        Set<String> verbs = commands().keySet();
        assertThat(verbs)
                .containsExactlyInAnyOrder(
                        "demo",
                        "broker",
                        "load",
                        "consume",
                        "check",
                        "lag",
                        "ui",
                        "top",
                        "plan",
                        "simulate",
                        "size",
                        "offsets describe",
                        "offsets reset",
                        "autoscale run",
                        "autoscale explain",
                        "autoscale why-not",
                        "autoscale replay",
                        "autoscale compare");
        verbs.forEach(verb -> assertThat(CliDoc.keys(verb)).as(verb).isNotEmpty());
    }

    @Test
    @DisplayName("docs/cli.md has every JSON key of demo, in the order of the report")
    void keysOfDemoAreDocumented() {
        ParallelRun.Setup setup = new ParallelRun.Setup("topic", "group", 1, Ordering.KEY, 1, 1, Duration.ofMillis(10));
        DemoResult result = new DemoResult(
                setup,
                1,
                1,
                0,
                new Loader.Result(1, Duration.ofSeconds(1), 1),
                new BareLoop.Result(1, Duration.ofSeconds(1), Duration.ofSeconds(1)),
                new ParallelRun.Result(1, Duration.ofSeconds(1), Duration.ofSeconds(1), 1, Optional.empty()),
                new Audit(Ordering.KEY, 1, 1, 1),
                true);
        assertThat(CliDoc.keys("demo"))
                .containsExactlyElementsOf(result.toJson().keySet());
    }

    @Test
    @DisplayName("docs/cli.md has every JSON key of consume, in the order of the report")
    void keysOfConsumeAreDocumented() {
        Consumption.Setup setup = new Consumption.Setup(
                List.of("topic"),
                "name",
                Ordering.KEY,
                1,
                1,
                Duration.ZERO,
                0,
                1,
                Duration.ZERO,
                null,
                null,
                CommitMode.DEFAULT,
                Duration.ZERO,
                null,
                null);
        ConsumeResult result = new ConsumeResult(
                setup,
                "group",
                "idle",
                Duration.ofSeconds(1),
                new Counters(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
                0,
                0,
                null);
        assertThat(CliDoc.keys("consume"))
                .containsExactlyElementsOf(result.toJson().keySet());
    }

    @Test
    @DisplayName("docs/cli.md has every JSON key of check")
    void keysOfCheckAreDocumented() {
        CheckResult result = GroupCheck.judge(new Observations(List.of()), Thresholds.USUAL);
        Set<String> keys = new LinkedHashSet<>(CheckJson.of(result, "g").keySet());
        keys.addAll(CheckJson.finding(result.findings().getFirst()).keySet());
        assertThat(CliDoc.keys("check")).containsExactlyInAnyOrderElementsOf(keys);
    }

    @Test
    @DisplayName("docs/cli.md has every JSON key of lag")
    void keysOfLagAreDocumented() {
        PartitionLag partition = new PartitionLag(
                new TopicPartition("t", 0),
                null,
                null,
                null,
                null,
                null,
                0,
                null,
                null,
                null,
                null,
                null,
                null,
                LagStatus.UNKNOWN,
                "",
                true);
        GroupLag group = new GroupLag("g", GroupKind.CLASSIC, "Stable", List.of(), List.of(), List.of());
        Set<String> keys = new HashSet<>(
                LagJson.of(List.of(group), 1, Duration.ofSeconds(1)).keySet());
        keys.addAll(LagJson.group(group).keySet());
        keys.addAll(LagJson.partition(partition).keySet());
        assertThat(CliDoc.keys("lag")).containsExactlyInAnyOrderElementsOf(keys);
    }

    @Test
    @DisplayName("docs/cli.md has every JSON key of plan")
    void keysOfPlanAreDocumented() {
        Plan plan = Planner.plan(PlanRequest.of(Mode.KEY, Load.of(100, 0.01, 0), Instance.USUAL, Goals.USUAL));
        Set<String> keys = new HashSet<>(PlanJson.of(plan, null).keySet());
        keys.addAll(PlanJson.mode(plan.modes().getFirst()).keySet());
        keys.addAll(PlanJson.figure(plan.figures().getFirst()).keySet());
        assertThat(CliDoc.keys("plan")).containsExactlyInAnyOrderElementsOf(keys);
    }

    @Test
    @DisplayName("docs/cli.md has every JSON key of simulate")
    void keysOfSimulateAreDocumented() {
        Scenario scenario = Scenario.of(
                new Group(Mode.KEY, 1, 1, 1, 1, false),
                Traffic.constant(1),
                Keys.alike(1),
                new ServiceTime.Fixed(1),
                Span.of(1, 1));
        SimulationResult result = Simulation.run(scenario);
        Set<String> keys = new HashSet<>(SimulateJson.of(result, scenario, 1).keySet());
        keys.addAll(SimulateJson.tick(result.ticks().getFirst()).keySet());
        assertThat(CliDoc.keys("simulate")).containsExactlyInAnyOrderElementsOf(keys);
    }

    @Test
    @DisplayName("docs/cli.md has every header of a copy")
    void headersAreDocumented() {
        assertThat(CliDoc.headers("consume"))
                .containsExactly(
                        CopyHeaders.TOPIC,
                        CopyHeaders.PARTITION,
                        CopyHeaders.OFFSET,
                        CopyHeaders.ATTEMPT,
                        CopyHeaders.MEMBER);
    }

    /** The verbs that do something, by the words that call them. */
    private static Map<String, CommandLine> commands() {
        Map<String, CommandLine> commands = new LinkedHashMap<>();
        Main.commandLine(new Verb.Streams(System.out, System.err, new Stop()))
                .getSubcommands()
                .forEach((name, verb) -> {
                    if (verb.getCommandSpec().usageMessage().hidden()) {
                        return;
                    }
                    if (verb.getSubcommands().isEmpty()) {
                        commands.put(name, verb);
                    }
                    verb.getSubcommands().forEach((own, command) -> commands.put(name + " " + own, command));
                });
        return commands;
    }
}
