package dev.laneway.build;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;

class SourceRulesTest {
    private static final Path ROOT = Path.of("..");
    private static final Path FILE = Path.of("A.java");

    @Test
    void sourcesAreShort() {
        assertThat(findings(ROOT, SourceRules::size)).isEmpty();
    }

    @Test
    void nothingIsLeftOpen() {
        // This module's own sources name the forbidden words.
        for (String module : List.of(
                "assign",
                "testkit",
                "core",
                "metrics",
                "ops",
                "dashboard",
                "cli",
                "proof",
                "ills",
                "keda",
                "kubernetes",
                "orders",
                "examples")) {
            assertThat(findings(ROOT.resolve(module), SourceRules::openEnds)).isEmpty();
        }
    }

    @Test
    void oneFileOfCoreReadsTheTime() {
        assertThat(Sources.in(ROOT.resolve("core/src/main")))
                .filteredOn(
                        file -> !SourceRules.clocks(file, Sources.read(file)).isEmpty())
                .as("files of core that read time or make randomness; all but one take it injected")
                .hasSizeLessThanOrEqualTo(1);
    }

    @Test
    void noTestSleeps() {
        for (String module : List.of(
                "assign",
                "testkit",
                "core",
                "metrics",
                "ops",
                "dashboard",
                "cli",
                "proof",
                "ills",
                "keda",
                "kubernetes",
                "orders",
                "examples")) {
            assertThat(findings(ROOT.resolve(module).resolve("src/test"), SourceRules::sleeps))
                    .isEmpty();
        }
    }

    @Test
    void findsLongFilesAndLongLines() {
        assertThat(SourceRules.size(FILE, "x\n".repeat(450))).isEmpty();
        assertThat(SourceRules.size(FILE, "x\n".repeat(451)))
                .singleElement()
                .asString()
                .contains("451 lines");
        assertThat(SourceRules.size(FILE, "\n" + "x".repeat(121)))
                .containsExactly("A.java:2: 121 columns, at most 120; break the line");
    }

    @Test
    void findsClocksSleepsAndOpenEnds() {
        assertThat(SourceRules.clocks(FILE, "long t = System.nanoTime();")).hasSize(1);
        assertThat(SourceRules.clocks(FILE, "long t = clock.nanoTime();")).isEmpty();
        assertThat(SourceRules.sleeps(FILE, "Thread.sleep(10);")).hasSize(1);
        assertThat(SourceRules.openEnds(FILE, "// TODO: later")).hasSize(1);
    }

    private static List<String> findings(Path root, BiFunction<Path, String, List<String>> rule) {
        List<Path> sources = Files.isDirectory(root) ? Sources.in(root) : List.of();
        return sources.stream()
                .flatMap(file -> rule.apply(file, Sources.read(file)).stream())
                .toList();
    }
}
