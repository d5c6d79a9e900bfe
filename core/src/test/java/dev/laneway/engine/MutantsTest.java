package dev.laneway.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
