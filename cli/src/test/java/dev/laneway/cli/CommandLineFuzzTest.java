package dev.laneway.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.laneway.cli.program.Program;
import dev.laneway.cli.program.Stop;
import dev.laneway.cli.program.Verb;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
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

/**
 * Command lines that the grammar allows, and those that are nearly so. Verbs are checked; two of them run. Each build
 * makes the same tries, so that it fails for what has changed; without the seed each run makes others.
 */
class CommandLineFuzzTest {
    private static final Duration LIMIT = Duration.ofSeconds(20);

    /** What somebody may write behind an option. */
    private static final List<String> VALUES = List.of(
            "1",
            "0",
            "-1",
            "7",
            "100",
            "0.5",
            "1e9",
            "1e400",
            "NaN",
            "-0",
            "2147483648",
            "9223372036854775808",
            "10ms",
            "1s",
            "0s",
            "-5s",
            "1.5m",
            "5",
            "999999999999h",
            "1us",
            "ms",
            "",
            " ",
            "a",
            "topic",
            "a,b",
            ",",
            "a=b",
            "=",
            "=b",
            "a=",
            "group.id=",
            "key",
            "PARTITION",
            "async",
            "sync",
            "ahead",
            "x".repeat(300),
            "\u00e4\u20ac\ud83d\ude00",
            "\ud800",
            "../x",
            "/",
            ".",
            "-",
            "--",
            "--help",
            "%s%n",
            "${x}",
            "@none",
            "'",
            "\"",
            "\t",
            "127.0.0.1:1",
            "nowhere",
            ":",
            "host:port",
            "[::1]:9",
            "p1",
            "p1,p2");

    @Property(tries = 500, seed = "1", shrinking = ShrinkingMode.OFF)
    @Label("B52 any command line ends with 0, 1 or 2; a wrong one with one sentence; none with a stack trace")
    void checked(@ForAll("lines") List<String> line) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        CommandLine parser = Main.commandLine(new Verb.Streams(Cli.stream(out), Cli.stream(err), new Stop()));
        CommandLine.IExecutionStrategy runs = parser.getExecutionStrategy();
        parser.setExecutionStrategy(parsed -> {
            boolean helps = parsed.asCommandLineList().stream()
                    .anyMatch(command -> command.isUsageHelpRequested() || command.isVersionHelpRequested());
            CommandLine last = parsed.asCommandLineList().getLast();
            if (!helps && last.getCommand() instanceof Verb verb) {
                try {
                    verb.checkAll();
                    return Program.FINE;
                } catch (RuntimeException wrong) {
                    throw new CommandLine.ExecutionException(last, "as the verb would", wrong);
                }
            }
            return runs.execute(parsed);
        });
        int code = assertTimeoutPreemptively(LIMIT, () -> parser.execute(line.toArray(String[]::new)));
        assertEnds(line, code, text(out), text(err));
    }

    @Property(tries = 30, seed = "1", shrinking = ShrinkingMode.OFF)
    @Label("B52 load and consume of brokers that do not answer end with 1 or 2 within the limit, whatever else is said")
    void unanswered(@ForAll("unanswered") List<String> line) {
        Cli cli = assertTimeoutPreemptively(LIMIT, () -> Cli.run(line.toArray(String[]::new)));
        assertEnds(line, cli.code(), cli.out(), cli.err());
        if (!line.contains("--help") && !line.contains("--version")) {
            assertThat(cli.code()).as(String.join(" ", line)).isIn(Program.FAILED, Program.USAGE);
        }
    }

    private static void assertEnds(List<String> line, int code, String out, String err) {
        String said = String.join(" ", line) + "\n" + out + err;
        said = said.replaceAll("[^\\p{ASCII}]", "?");
        assertThat(code).as(said).isBetween(Program.FINE, Program.USAGE);
        assertThat(out + err).as(said).doesNotContain("\tat ", "Exception in");
        if (code == Program.FINE) {
            assertThat(err).as(said).isEmpty();
        } else {
            assertThat(err).as(said).startsWith("laneway: ").hasSizeGreaterThan("laneway: ".length() + 10);
            assertThat(err.lines().findFirst().orElseThrow()).as(said).doesNotContain("null");
        }
    }

    private static String text(ByteArrayOutputStream bytes) {
        return bytes.toString(StandardCharsets.UTF_8);
    }

    @Provide
    Arbitrary<List<String>> lines() {
        return Arbitraries.longs().map(CommandLineFuzzTest::line);
    }

    @Provide
    Arbitrary<List<String>> unanswered() {
        return Arbitraries.longs().map(seed -> {
            Random random = new Random(seed);
            List<String> line = new ArrayList<>(List.of(random.nextBoolean() ? "load" : "consume", "--topic", "t"));
            options(random, line, random.nextInt(3));
            // The last one wins, or the line is refused since they are given twice.
            line.addAll(List.of("--bootstrap", "127.0.0.1:1", "--broker-limit", "100ms"));
            line.removeAll(List.of("--verbose"));
            return line;
        });
    }

    /** A verb and options of its own with values, then some slips. */
    private static List<String> line(long seed) {
        Random random = new Random(seed);
        List<String> verbs = List.of(
                "demo",
                "broker",
                "load",
                "consume",
                "lag",
                "plan",
                "simulate",
                "offsets",
                "offsets describe",
                "offsets reset",
                "autoscale run",
                "autoscale explain",
                "autoscale why-not 5",
                "autoscale replay");
        List<String> line = new ArrayList<>(List.of(any(random, verbs).split(" ")));
        options(random, line, random.nextInt(6));
        for (int slips = random.nextInt(4); slips > 0; slips--) {
            slip(random, line);
        }
        line.removeIf("--verbose"::equals); // It shows stack traces: that is what it is for.
        return line;
    }

    private static void options(Random random, List<String> line, int count) {
        CommandLine verb = Main.commandLine(new Verb.Streams(System.out, System.err, new Stop()));
        for (String name : line) {
            verb = verb.getSubcommands().getOrDefault(name, verb);
        }
        List<OptionSpec> options = verb.getCommandSpec().options();
        for (int i = 0; i < count; i++) {
            OptionSpec option = any(random, options);
            String name = option.longestName();
            String value = any(random, VALUES);
            if (option.arity().max() == 0) {
                line.add(name);
            } else if (random.nextBoolean()) {
                line.add(name + "=" + value);
            } else {
                line.addAll(List.of(name, value));
            }
        }
    }

    private static void slip(Random random, List<String> line) {
        int at = random.nextInt(line.size() + 1);
        String token = at < line.size() ? line.get(at) : "";
        switch (random.nextInt(6)) {
            case 0 -> line.add(at, any(random, VALUES));
            case 1 -> {
                if (line.size() > 1 && at < line.size()) {
                    line.remove(at);
                }
            }
            case 2 -> Collections.swap(line, random.nextInt(line.size()), random.nextInt(line.size()));
            case 3 -> line.add(at, any(random, line));
            case 4 -> line.add(at, token + any(random, VALUES));
            default -> {
                if (token.length() > 1) {
                    int cut = random.nextInt(token.length());
                    line.set(at, token.substring(0, cut) + token.substring(cut + 1));
                }
            }
        }
    }

    private static <T> T any(Random random, List<T> of) {
        return of.get(random.nextInt(of.size()));
    }
}
