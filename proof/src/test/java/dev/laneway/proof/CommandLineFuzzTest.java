package dev.laneway.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.laneway.cli.program.Program;
import dev.laneway.cli.program.Stop;
import dev.laneway.cli.program.Verb;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** Command lines that are nearly right. Verbs are checked, none runs. Each build makes the same tries. */
class CommandLineFuzzTest {
    private static final Duration LIMIT = Duration.ofSeconds(20);

    /** Each value stands for a kind of slip; "7" and "1s" are right for most options. */
    private static final List<String> VALUES = List.of(
            "7",
            "1s",
            "0",
            "-1",
            "1e400",
            "NaN",
            "2147483648",
            "999999999999h",
            "-5s",
            "ms",
            "",
            " ",
            "a=",
            "=b",
            "/",
            "-",
            "--",
            "--help",
            "--nothing",
            "%s%n",
            "${x}",
            "@none",
            "x".repeat(300),
            "\ud800",
            "127.0.0.1:1");

    @Property(tries = 300, seed = "1", shrinking = ShrinkingMode.OFF)
    @Label("B52 any command line ends with 0, 1 or 2; a wrong one with one sentence; none with a stack trace")
    void checked(@ForAll("lines") List<String> line) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        CommandLine parser = Main.commandLine(new Verb.Streams(Cli.stream(out), Cli.stream(err), new Stop()));
        CommandLine.IExecutionStrategy runs = parser.getExecutionStrategy();
        parser.setExecutionStrategy(parsed -> {
            CommandLine last = parsed.asCommandLineList().getLast();
            if (last.isUsageHelpRequested()
                    || last.isVersionHelpRequested()
                    || !(last.getCommand() instanceof Verb verb)) {
                return runs.execute(parsed);
            }
            try {
                verb.checkAll();
                return Program.FINE;
            } catch (RuntimeException wrong) {
                throw new CommandLine.ExecutionException(last, "as the verb would", wrong);
            }
        });
        int code = assertTimeoutPreemptively(LIMIT, () -> parser.execute(line.toArray(String[]::new)));
        String errors = err.toString(StandardCharsets.UTF_8);
        String said = String.join(" ", line) + "\n" + out.toString(StandardCharsets.UTF_8) + errors;
        assertThat(code).as(said).isBetween(Program.FINE, Program.USAGE);
        assertThat(said).doesNotContain("\tat ", "Exception in");
        if (code == Program.FINE) {
            assertThat(errors).as(said).isEmpty();
        } else {
            assertThat(errors).as(said).startsWith("laneway: ").hasSizeGreaterThan("laneway: ".length() + 10);
            assertThat(errors.lines().findFirst().orElseThrow()).as(said).doesNotContain("null");
        }
    }

    @Provide
    Arbitrary<List<String>> lines() {
        return Arbitraries.longs().map(CommandLineFuzzTest::line);
    }

    /** A verb and options of its own, each with some value. */
    private static List<String> line(long seed) {
        Random random = new Random(seed);
        List<String> line = new ArrayList<>(List.of(any(random, List.of("chaos", "soak", "node", "member"))));
        List<OptionSpec> options = Main.commandLine(new Verb.Streams(System.out, System.err, new Stop()))
                .getSubcommands()
                .get(line.getFirst())
                .getCommandSpec()
                .options();
        for (int left = random.nextInt(6); left > 0; left--) {
            OptionSpec option = any(random, options);
            line.add(option.longestName());
            if (option.arity().max() > 0 || random.nextInt(8) == 0) {
                line.add(any(random, VALUES));
            }
        }
        line.removeIf("--verbose"::equals); // It shows stack traces: that is what it is for.
        return line;
    }

    private static <T> T any(Random random, List<T> of) {
        return of.get(random.nextInt(of.size()));
    }
}
