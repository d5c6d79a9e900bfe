package dev.laneway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.cli.program.Program;
import dev.laneway.testkit.EmbeddedKafka;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
@DisplayName("Output that cannot be written")
class LostOutputTest {
    /** Takes no byte, as a file on a full disk. */
    private static final Path FULL = Path.of("/dev/full");

    @TempDir
    Path directory;

    private Child full(String... args) throws IOException {
        return Child.start(directory, FULL, List.of(), args);
    }

    /** One sentence of ours, and no stack trace. */
    private static void assertSentence(String err, String... words) {
        assertThat(err.lines().filter(line -> line.startsWith("laneway: ")))
                .singleElement()
                .asString()
                .contains(words);
        assertThat(err).doesNotContain("\tat ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--help", "--version"})
    @DisplayName("B128 text on a full standard output is lost, and the exit code says so")
    void text(String option) throws Exception {
        try (Child child = full(option)) {
            assertThat(child.await()).isEqualTo(Program.FAILED);
            assertSentence(child.err(), "some output is lost");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-", "/dev/full"})
    @DisplayName("B128 a verb's result on a full standard output or in a full file is lost, and the exit code says so")
    void result(String json) throws Exception {
        String bootstrap = EmbeddedKafka.shared().bootstrapServers();
        String[] load = {"load", "--bootstrap", bootstrap, "--topic", "lost-output", "--records", "10"};
        String[] reported = {load[0], load[1], load[2], load[3], load[4], load[5], load[6], "--json", json};
        try (Child child = full(json.isEmpty() ? load : reported)) {
            assertThat(child.await()).isEqualTo(Program.FAILED);
            assertSentence(child.err(), json.isEmpty() ? "some output is lost" : "cannot write the report to --json");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = "broker")
    @DisplayName("B128 a directory that cannot be made is told in one sentence")
    void directory(String verb) {
        // No file system takes such a name; root may write everywhere, so rights would not do.
        Cli cli =
                Cli.run(verb, "--directory", directory.resolve("x".repeat(300)).toString());
        assertThat(cli.code()).isIn(Program.FAILED, Program.USAGE);
        assertSentence(cli.err(), "x".repeat(300));
    }

    @ParameterizedTest
    @ValueSource(strings = "broker")
    @DisplayName("B128 a missing directory for temporary files is told in one sentence")
    void temporary(String verb) throws Exception {
        Path missing = directory.resolve("missing");
        try (Child child =
                Child.start(directory, directory.resolve("out"), List.of("-Djava.io.tmpdir=" + missing), verb)) {
            assertThat(child.await()).isEqualTo(Program.FAILED);
            assertSentence(child.err(), missing.toString());
            assertThat(child.err()).doesNotContain("null");
        }
    }
}
