package dev.laneway.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.cli.program.Program;
import dev.laneway.cli.program.Stop;
import dev.laneway.cli.program.Verb;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.OptionSpec;

/** The command line of {@code ./laneway bench}, as far as it measures nothing. */
@DisplayName("bench")
class BenchCommandTest {
    private static final Path DOCS = Path.of("..", "docs");
    private static final Path KEPT = Path.of("results", "2026-11-24-2-cores-decision-17");

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final Verb.Streams streams = new Verb.Streams(stream(out), stream(err), new Stop());
    private final CommandLine program = Program.commandLine(streams, List.of(new BenchCommand(streams)));

    @ParameterizedTest
    @CsvSource({"bench.txt, 80", "60/bench.txt, 60"})
    @DisplayName("says in docs/help what the verb says, for 80 columns and for 60")
    void helpIsKept(String file, int columns) throws IOException {
        CommandLine verb = program.getSubcommands().get("bench");
        String said = verb.setUsageHelpWidth(columns).getUsageMessage(Ansi.OFF);
        Path written = Path.of("target", "help").resolve(file);
        Files.createDirectories(written.getParent());
        Files.writeString(written, said);
        assertThat(Files.readString(DOCS.resolve("help").resolve(file)))
                .as("to take over what the verb says: cp -r bench/target/help/. docs/help")
                .isEqualTo(said);
    }

    @Test
    @DisplayName("explains each option and its default in its help")
    void optionsAreExplained() {
        for (OptionSpec option :
                program.getSubcommands().get("bench").getCommandSpec().options()) {
            String text = String.join(" ", option.description());
            assertThat(text).as(option.longestName()).isNotBlank();
            if (option.defaultValue() != null) {
                assertThat(text).as(option.longestName()).contains(option.defaultValue());
            }
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "bench --runs 0          | --runs is 0 but must be at least 1: raise it",
                "bench --scale 0         | --scale is 0.0 but must be above 0, at most 100: 0.1 is a tenth",
                "bench --scenario none   | --scenario is none but must be one of plain, ",
                "bench --peers nobody    | --peers is nobody but must be one of bare, ",
                "bench --page            | --page is given without --report but needs a directory with rows.jsonl:"
                        + " give",
                "bench --page --report src --quick | --page is given but must not be with --quick, since it measures",
                "bench --page --report src | --page is given for src but needs a directory with rows.jsonl: give",
                "bench frobnicate        | Unmatched argument at index 1: 'frobnicate'"
            })
    @DisplayName("B52 refuses a wrong command line with 2 and one sentence: option, value, rule, remedy")
    void refuses(String line, String message) {
        assertThat(run(line.split(" ", -1))).isEqualTo(Program.USAGE);
        assertThat(err.toString(StandardCharsets.UTF_8))
                .startsWith("laneway: " + message)
                .doesNotContain("\tat ");
        assertThat(out.size()).isZero();
    }

    @Test
    @DisplayName("lists scenarios and peers without measuring")
    void lists() {
        assertThat(run("bench", "--list")).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8)).contains("many-keys: ", "    t512: bare, ");
    }

    @Test
    @DisplayName("makes the page of a directory that is kept, with its machine, and measures nothing")
    void makesThePage(@TempDir Path directory) throws IOException {
        for (String file : List.of("rows.jsonl", "commands.txt", "machine.json")) {
            Files.copy(KEPT.resolve(file), directory.resolve(file));
        }
        assertThat(run("bench", "--page", "--report", directory.toString())).isZero();
        String page = Files.readString(directory.resolve("report.html"));
        assertThat(page).contains("many-keys t512", "data-chart=", "25,277 MB of memory", "--scenario many-keys");
        assertThat(out.toString(StandardCharsets.UTF_8)).contains("The page is " + directory);
        assertThat(directory.resolve("report.md")).doesNotExist();
    }

    private int run(String... line) {
        return Program.run(streams, program, line);
    }

    private static PrintStream stream(ByteArrayOutputStream bytes) {
        return new PrintStream(bytes, true, StandardCharsets.UTF_8);
    }
}
