package dev.laneway.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The command line of {@code ./laneway prove}, as far as it runs no seed. */
@DisplayName("prove")
class ProveTest {
    @Test
    @DisplayName("has a help that names every theme and every option")
    void helps() throws Exception {
        String help = Files.readString(Path.of("..", "docs", "help", "prove.txt"));
        assertThat(help.replaceAll("\\s+", " ")).contains(Prove.themes());
        assertThat(help)
                .contains(
                        "--seeds",
                        "--from",
                        "--theme",
                        "--threads",
                        "--json",
                        "--mutants",
                        "--only",
                        "--memory",
                        "--pit");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--seeds",
                "--seeds many",
                "--seeds 0",
                "--threads 0",
                "--theme calm",
                "--sedes 10",
                "--only 1",
                "--json no-such-directory/result.json",
                "--json src",
                "--mutants --theme storm"
            })
    @DisplayName("refuses a wrong command line with 2, before it runs anything")
    void refuses(String line) throws Exception {
        assertThat(Prove.run(List.of(line.split(" ", -1)))).isEqualTo(2);
    }
}
