package dev.laneway.ills;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Recordings of all illnesses, made by {@code ./laneway ill NAME --check --record DIR}. */
class RecordingsTest {
    private static final Path RECORDINGS = Path.of("src", "test", "resources", "recordings");
    private static final Path DOCUMENT = Path.of("..", "docs", "sizing.md");
    private static final long MOST_BYTES = 2_000_000;

    static Stream<Arguments> all() {
        return Illnesses.all().stream()
                .flatMap(illness ->
                        Arrays.stream(Strength.values()).map(strength -> Arguments.of(illness.name(), strength)));
    }

    @ParameterizedTest(name = "{0} {1}")
    @MethodSource("all")
    @DisplayName("B142 check gives the recorded illness its right verdict, and none to the healthy twin")
    void verdict(String name, Strength strength) {
        Trial trial = trial(Illnesses.named(name).orElseThrow(), strength);
        assertThat(trial.isRight())
                .as("%s%n%s", trial, trial.result().sentence())
                .isTrue();
    }

    private static Trial trial(Illness illness, Strength strength) {
        return Trial.replayed(illness, strength, Trial.file(RECORDINGS, illness, strength));
    }

    @Test
    @DisplayName("B142 docs/sizing.md has the matrix that the recordings give")
    void matrix() throws IOException {
        List<Trial> trials = new ArrayList<>();
        for (Illness illness : Illnesses.all()) {
            for (Strength strength : Strength.values()) {
                trials.add(trial(illness, strength));
            }
        }
        assertThat(Files.readString(DOCUMENT))
                .contains("```text\n" + String.join("\n", Matrix.lines(trials)) + "\n" + Matrix.sums(trials) + "\n```");
    }

    @Test
    @DisplayName("Recordings are small, and name nobody's machine")
    void isNeutral() throws IOException {
        long bytes = 0;
        List<Path> files;
        try (Stream<Path> found = Files.list(RECORDINGS)) {
            files = found.toList();
        }
        for (Path file : files) {
            bytes += Files.size(file);
            try (var in = new GZIPInputStream(Files.newInputStream(file))) {
                assertThat(new String(in.readAllBytes(), StandardCharsets.UTF_8))
                        .as(file.toString())
                        .doesNotContain("/root", ".cache", "/work", "/Users")
                        .doesNotContain(System.getProperty("user.home"));
            }
        }
        assertThat(bytes).isLessThan(MOST_BYTES);
        assertThat(files).hasSize(Illnesses.all().size() * Strength.values().length);
    }
}
