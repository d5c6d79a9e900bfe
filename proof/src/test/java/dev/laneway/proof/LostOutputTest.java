package dev.laneway.proof;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.cli.program.Jvm;
import dev.laneway.cli.program.Program;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
@DisplayName("Output that cannot be written")
class LostOutputTest {
    @TempDir
    Path directory;

    @Test
    @DisplayName("B128 a directory that cannot be made is told in one sentence")
    void directory() {
        // No file system takes such a name; root may write everywhere, so rights would not do.
        String name = "x".repeat(300);
        Cli cli = Cli.run("chaos", "--directory", directory.resolve(name).toString());
        assertThat(cli.code()).isIn(Program.FAILED, Program.USAGE);
        assertSentence(cli.err(), name);
    }

    @Test
    @DisplayName("B128 a missing directory for temporary files is told in one sentence")
    void temporary() throws Exception {
        Path missing = directory.resolve("missing");
        Path said = directory.resolve("said");
        Jvm chaos = Jvm.start(Main.class, List.of("-Djava.io.tmpdir=" + missing), List.of("chaos"), said);
        try {
            assertThat(chaos.await(Duration.ofSeconds(50))).isTrue();
            assertThat(chaos.exitCode()).isEqualTo(Program.FAILED);
            assertSentence(Files.readString(said), missing.toString());
        } finally {
            chaos.kill();
        }
    }

    /** One sentence of ours, and no stack trace. */
    private static void assertSentence(String err, String words) {
        assertThat(err.lines().filter(line -> line.startsWith("laneway: ")))
                .singleElement()
                .asString()
                .contains(words)
                .doesNotContain("null");
        assertThat(err).doesNotContain("\tat ");
    }
}
