package dev.laneway.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The planted bugs are up to date. That each is caught shows {@code ./laneway prove --mutants}. */
@DisplayName("Mutants")
class MutantsTest {
    private static final int LEAST = 80;
    private static final Path ROOT = Path.of("").toAbsolutePath().getParent();

    @Test
    @DisplayName("each applies to the source as it is, changes it, compiles, and says which promise it breaks")
    void upToDate(@TempDir Path classes) throws IOException {
        List<Mutant> all = Mutant.all(ROOT);
        assertThat(all).hasSizeGreaterThanOrEqualTo(LEAST);
        for (Mutant mutant : all) {
            assertThat(mutant.promise()).as(mutant.name()).matches("B\\d+ .+");
            assertThat(mutant.hunks()).as(mutant.name()).isNotEmpty();
            assertThat(mutant.hunks())
                    .as(mutant.name())
                    .noneMatch(hunk -> hunk.before().equals(hunk.after()));
            assertThat(mutant.apply(ROOT)).as(mutant.name()).contains("package dev.laneway.");
            assertThat(Mutants.compile(mutant, ROOT, classes)).as(mutant.name()).isEmpty();
        }
    }

    @Test
    @DisplayName("a test that one names is there")
    void testsAreThere() throws Exception {
        for (Mutant mutant : Mutant.all(ROOT)) {
            if (mutant.finder() instanceof Mutant.Finder.OneTest test) {
                assertThat(List.of(Class.forName(test.type()).getDeclaredMethods()))
                        .as(mutant.name() + " names " + test)
                        .anyMatch(method ->
                                test.method().isEmpty() || test.method().equals(method.getName()));
            }
            if (mutant.finder() instanceof Mutant.Finder.OneStress stress) {
                String[] names = stress.test().split("\\.", 2);
                try (var files = Files.walk(ROOT.resolve("stress/src/main/java"))) {
                    assertThat(files.filter(file -> file.endsWith(names[0] + ".java")))
                            .as(mutant.name() + " names " + stress)
                            .singleElement()
                            .satisfies(file -> assertThat(Files.readString(file))
                                    .contains("public static class " + names[1] + " {"));
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "java.lang.AssertionError: B104 t0-0 has stood still | B104 t0-0 has stood still",
                "java.lang.IllegalStateException: no progress: 10 steps | no progress: 10 steps",
                "java.lang.IllegalStateException: task 2 has kept the token for 30 s | task 2 has kept the token for"
                        + " 30 s",
                "java.lang.NullPointerException: at a place | "
            })
    @DisplayName("one is caught by what a check found, or by a task that loops, and by nothing else")
    void caught(String failure, @Nullable String why) {
        String output = "seed 12 (CUT) failed: java.lang.AssertionError: simulation failed with seed 12 (replay it with"
                + " Simulation.run(12L, ...)): " + failure + "\nlatest events:\n";
        assertThat(Mutants.found(new Mutant.Finder.AllThemes(), output))
                .isEqualTo(why == null ? "" : "seed 12 (CUT): " + why);
    }

    @Test
    @DisplayName("one whose lines are not there is refused")
    void refused() {
        Mutant stale = new Mutant(
                "stale",
                "B1",
                new Mutant.Finder.AllThemes(),
                "core/src/main/java/dev/laneway/engine/track/TrackLedger.java",
                List.of(new Mutant.Hunk("no such line\n", "\n")));
        assertThatThrownBy(() -> stale.apply(ROOT))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("does not apply");
    }
}
