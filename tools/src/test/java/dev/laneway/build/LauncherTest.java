package dev.laneway.build;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The launcher, in a checkout of which nothing has been built, where no JDK is to be found and Maven must not run. */
@DisplayName("The launcher")
class LauncherTest {
    private static final Path ROOT = Path.of("..");
    private static final Path HELP = ROOT.resolve("docs/help");
    private static final int NARROW = 60;
    private static final int USUAL = 80;

    @TempDir
    private Path checkout;

    /** What a command said, and how it ended. */
    private record Said(int code, String out, String err) {}

    @BeforeEach
    void checkOut() throws IOException {
        for (String part : List.of("laneway", "docs/help", "examples/src/main/java")) {
            copy(ROOT.resolve(part), checkout.resolve(part));
        }
        Files.createDirectories(checkout.resolve("bin"));
        for (String program : List.of("java", "mvn")) {
            Path forbidden = checkout.resolve("bin").resolve(program);
            Files.writeString(forbidden, "#!/bin/sh\necho " + program + " was started >&2\nexit 99\n");
            assertThat(forbidden.toFile().setExecutable(true)).isTrue();
        }
    }

    static Stream<String> texts() {
        try (Stream<Path> files = Files.list(HELP)) {
            return files
                    .map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".txt") && !name.equals("laneway.txt"))
                    .map(name -> name.substring(0, name.length() - ".txt".length()))
                    .toList()
                    .stream();
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    @ParameterizedTest
    @MethodSource("texts")
    @DisplayName("answers VERB --help, VERB -h and help VERB without a build")
    void helps(String text) throws Exception {
        List<String> verb = List.of(text.split("-", 2)); // A verb of a verb may have hyphens itself.
        String expected = Files.readString(HELP.resolve(text + ".txt"));
        for (List<String> line : List.of(with(verb, "--help"), with(verb, "-h"), with(List.of("help"), verb))) {
            Said said = run(line);
            assertThat(said.err()).as(line.toString()).isEmpty();
            assertThat(said.code()).as(line.toString()).isZero();
            assertThat(said.out()).as(line.toString()).startsWith(expected);
        }
        assertThat(checkout.resolve("target")).doesNotExist();
    }

    @Test
    @DisplayName("has no verb that --help does not list")
    void listsAll() throws Exception {
        Said said = run(List.of("--help"));
        assertThat(said.code()).isZero();
        assertThat(said).isEqualTo(run(List.of("help")));
        assertThat(texts().filter(text -> !text.contains("-")))
                .contains("demo", "bench", "chaos", "soak", "prove", "test", "example")
                .allSatisfy(verb -> assertThat(said.out()).containsPattern("(?m)^  " + verb + " "));
    }

    @Test
    @DisplayName("lists the examples with the help of example")
    void listsExamples() throws Exception {
        assertThat(run(List.of("example", "--help")).out())
                .contains("\n  Hello\n")
                .doesNotContain("Cluster\n");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "frobnicate              | 'frobnicate' is no verb: it must be one of: autoscale, bench, broker,",
                "frobnicate --help       | 'frobnicate' is no verb",
                "--help frobnicate       | 'frobnicate' is no verb",
                "help frobnicate         | 'frobnicate' is no verb",
                "help offsets frobnicate | offsets has no verb 'frobnicate'",
                "offsets frobnicate --help | offsets has no verb 'frobnicate'",
                "autoscale why not       | autoscale has no verb 'why'",
                "laneway --help          | 'laneway' is no verb",
                "offsets-reset           | 'offsets-reset' is no verb",
                "../help/demo            | '../help/demo' is no verb",
                "--frobnicate demo       | '--frobnicate' stands where a verb is expected",
                "test --long -pl core    | the arguments of test are '--long -pl core' but --long stands alone",
                "test -o --long          | the arguments of test are '-o --long' but --long stands alone",
                "prove --pit --only 1    | the arguments of prove are '--pit --only 1' but --pit stands alone",
                "format all              | format takes no arguments but got 'all'",
                "example                 | example is '' but must be one of: AsyncCalls, BatchesToDatabase,",
                "example hello           | example is 'hello' but must be one of: AsyncCalls, BatchesToDatabase,",
                "example Cluster         | example is 'Cluster' but must be one of:",
                "example Hello --port 1  | the arguments of Hello are '--port 1' but must be none, or --bootstrap",
                "example Hello --bootstrap | the arguments of Hello are '--bootstrap' but must be none, or",
            })
    @DisplayName("refuses what it does not know with 2, and says what there is")
    void refuses(String line, String message) throws Exception {
        Said said = run(List.of(line.split(" ", -1)));
        assertThat(said.code()).isEqualTo(2);
        assertThat(said.out()).isEmpty();
        assertThat(said.err()).startsWith("laneway: " + message).contains("\nTry: ./laneway help");
    }

    @Test
    @DisplayName("refuses an empty command line, and an empty verb")
    void refusesNothing() throws Exception {
        assertThat(run(List.of()).code()).isEqualTo(2);
        assertThat(run(List.of()).err()).startsWith("laneway: name a verb: it must be one of: autoscale,");
        assertThat(run(List.of("")).code()).isEqualTo(2);
    }

    @Test
    @DisplayName("has help that fits on a terminal: 80 columns, and 60 where there is a text of its own or no table")
    void fits() throws Exception {
        for (String text : with(texts().toList(), "laneway")) {
            Path narrow = HELP.resolve(Integer.toString(NARROW)).resolve(text + ".txt");
            assertFits(HELP.resolve(text + ".txt"), Files.exists(narrow) ? USUAL : NARROW);
            if (Files.exists(narrow)) {
                assertFits(narrow, NARROW);
            }
        }
    }

    private static void assertFits(Path text, int columns) throws IOException {
        assertThat(Files.readAllLines(text))
                .as(text.toString())
                .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(columns));
    }

    private Said run(List<String> line) throws Exception {
        Path out = checkout.resolve("out");
        Path err = checkout.resolve("err");
        ProcessBuilder builder = new ProcessBuilder(
                with(List.of("bash", checkout.resolve("laneway").toString()), line));
        Map<String, String> environment = builder.environment();
        environment.keySet().removeAll(List.of("JAVA_HOME", "JAVA25_HOME"));
        environment.put("PATH", checkout.resolve("bin") + ":" + environment.get("PATH"));
        Process process =
                builder.redirectOutput(out.toFile()).redirectError(err.toFile()).start();
        int code = process.waitFor();
        return new Said(code, read(out), read(err));
    }

    private static String read(Path file) throws IOException {
        return Files.readString(file, StandardCharsets.UTF_8);
    }

    private static List<String> with(List<String> some, List<String> more) {
        List<String> all = new ArrayList<>(some);
        all.addAll(more);
        return all;
    }

    private static List<String> with(List<String> some, String more) {
        return with(some, List.of(more));
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Path copy = to.resolve(from.relativize(file).toString());
                Files.createDirectories(copy.getParent());
                Files.copy(file, copy);
            }
        }
    }
}
