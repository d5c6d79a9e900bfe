package dev.laneway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.CommitMode;
import dev.laneway.Counters;
import dev.laneway.Ordering;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

class CliDocTest {
    @ParameterizedTest
    @CsvSource({
        "demo, Every verb;Connection;Records;demo",
        "broker, Every verb;broker",
        "load, Every verb;Connection;Records;load",
        "consume, Every verb;Connection;consume",
        "offsets reset, Every verb;Connection;offsets reset",
        "bench, Every verb;bench",
        "chaos, Every verb;chaos",
        "soak, Every verb;Connection;soak"
    })
    @DisplayName("docs/cli.md has every option of every verb, with its default, and no other")
    void optionsAreDocumented(String verb, String sections) {
        Map<String, String> documented = new LinkedHashMap<>();
        for (String section : sections.split(";", -1)) {
            documented.putAll(CliDoc.options(section));
        }
        CommandLine command = Main.commandLine(new Verb.Streams(System.out, System.err, new Stop()));
        for (String word : verb.split(" ", -1)) {
            command = command.getSubcommands().get(word);
        }
        Map<String, String> real = new LinkedHashMap<>();
        for (OptionSpec option : command.getCommandSpec().options()) {
            if (!option.hidden()) {
                real.put(option.longestName(), option.defaultValue() == null ? "" : option.defaultValue());
            }
        }
        assertThat(documented).containsExactlyInAnyOrderEntriesOf(real);
    }

    @Test
    @DisplayName("Every verb has a section, and every section of a verb has its verb")
    void verbsAreDocumented() {
        Map<String, CommandLine> commands = Main.commandLine(new Verb.Streams(System.out, System.err, new Stop()))
                .getSubcommands();
        Set<String> verbs = new HashSet<>(commands.keySet());
        verbs.removeIf(
                verb -> commands.get(verb).getCommandSpec().usageMessage().hidden());
        assertThat(verbs)
                .containsExactlyInAnyOrder("demo", "broker", "load", "consume", "offsets", "bench", "chaos", "soak");
        verbs.remove("offsets");
        verbs.add("offsets reset");
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
                new Counters(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
                0,
                0,
                null);
        assertThat(CliDoc.keys("consume"))
                .containsExactlyElementsOf(result.toJson().keySet());
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
}
