package dev.laneway.build;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.build.TestReport.Case;
import dev.laneway.build.TestReport.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TestSummaryTest {
    private static final Map<String, String> MODULES = Map.of("core", "Laneway core");

    @Test
    void saysOfEachModuleHowManyTestsHowLongAndWhereTheirLogIs() {
        assertThat(lines(
                        List.of("[INFO] Laneway core ......... SUCCESS [09:15 min]"),
                        test("a", Result.PASSED, ""),
                        test("b", Result.SKIPPED, "")))
                .containsExactly(
                        "",
                        "module       tests  failed     duration  log",
                        "core             2       0    09:15 min  core/target/surefire-reports",
                        "Maven's log is target/test.log");
    }

    @Test
    void listsAModuleThatRanAloneAndOfWhichMavenMakesNoTable() {
        assertThat(lines(List.of("[INFO] BUILD SUCCESS"), test("a", Result.PASSED, "")))
                .contains("core             1       0               core/target/surefire-reports");
    }

    @Test
    void namesFailedTestsWithWhatTheySaid() {
        assertThat(lines(
                        List.of("[INFO] Laneway core ......... FAILURE [  1.5 s]", "[ERROR] There are test failures."),
                        test("B1 holds", Result.FAILED, "Expecting:")))
                .containsSubsequence("failed:", "  core SomeTest: B1 holds", "      Expecting:")
                .contains("core             1       1        1.5 s  core/target/surefire-reports FAILURE")
                .noneMatch(line -> line.contains("[ERROR]"));
    }

    @Test
    void tellsBothEndsOfALongMessage() {
        String said = IntStream.rangeClosed(1, 100).mapToObj(Integer::toString).collect(Collectors.joining("\n"));
        assertThat(lines(List.of(), test("B1 holds", Result.FAILED, said)))
                .containsSubsequence("      1", "      12", "      ... 76 lines ...", "      89", "      100")
                .doesNotContain("      13", "      88");
    }

    @Test
    void showsWhatMavenSaidWhereTheBuildFailedAndNoTest() {
        assertThat(lines(List.of(
                        "[ERROR] A.java:[1,1] ';' expected",
                        "[ERROR] A.java:[1,1] ';' expected",
                        "[INFO] Laneway core ......... FAILURE [  1.5 s]")))
                .containsSubsequence("no test failed, but the build did:", "  [ERROR] A.java:[1,1] ';' expected")
                .contains("core             0       0        1.5 s  FAILURE")
                .hasSize(7);
    }

    @Test
    void readsTheNamesOfTheModules(@TempDir Path root) throws IOException {
        Files.writeString(root.resolve("pom.xml"), "<name>Laneway</name><module>core</module><module>cli</module>");
        Files.writeString(Files.createDirectories(root.resolve("core")).resolve("pom.xml"), "<name>The core</name>");
        Files.writeString(Files.createDirectories(root.resolve("cli")).resolve("pom.xml"), "<name>The line</name>");
        Files.writeString(
                Files.createDirectories(root.resolve("target")).resolve("test.log"),
                "[INFO] The line ... SKIPPED\n[INFO] The core ... SUCCESS [ 2 s]\n[INFO] Other ... SUCCESS [ 2 s]\n");
        assertThat(TestSummary.of(root, new TestReport(List.of())).lines())
                .containsExactly(
                        "",
                        "module       tests  failed     duration  log",
                        "core             0       0          2 s",
                        "cli              0       0               SKIPPED",
                        "Maven's log is target/test.log");
    }

    private static List<String> lines(List<String> log, Case... tests) {
        return new TestSummary(MODULES, log, new TestReport(List.of(tests))).lines();
    }

    private static Case test(String name, Result result, String said) {
        return new Case("core", "SomeTest", "SomeTest", name, result, said);
    }
}
