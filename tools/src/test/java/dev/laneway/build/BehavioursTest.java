package dev.laneway.build;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.build.Behaviours.Behaviour;
import dev.laneway.build.TestReport.Case;
import dev.laneway.build.TestReport.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BehavioursTest {
    private static final List<Behaviour> LIST =
            List.of(new Behaviour(1, true, "one"), new Behaviour(2, true, "two"), new Behaviour(3, false, "three"));

    @Test
    void theListIsWholeAndInOrder() {
        assertThat(Behaviours.list())
                .extracting(Behaviour::number)
                .containsExactlyElementsOf(IntStream.rangeClosed(1, 210).boxed().toList());
    }

    @Test
    void readsTheNumbersAtTheStartOfTheName() {
        assertThat(Behaviours.numbers(test("B17 B18, B19: and not B20"))).containsExactly(17, 18, 19);
        assertThat(Behaviours.numbers(test("commits B1"))).isEmpty();
        assertThat(Behaviours.numbers(test("B1x is a word"))).isEmpty();
    }

    @Test
    void aTestWithoutNumbersShowsThoseOfItsClass() {
        assertThat(Behaviours.numbers(new Case("m", "T", "B5 whole class", "plain", Result.PASSED, "")))
                .containsExactly(5);
        assertThat(Behaviours.numbers(new Case("m", "T", "B5 whole class", "B6 own", Result.PASSED, "")))
                .containsExactly(6);
    }

    @Test
    void aFailedOrSkippedTestShowsNothing() {
        assertThat(lacking(test("B1 a"), test("B2 b"))).isEmpty();
        assertThat(lacking(test("B1 a"))).containsExactly(2);
        assertThat(lacking(test("B1 a"), test("B2 b", Result.SKIPPED))).containsExactly(2);
        assertThat(lacking(test("B1 a"), test("B2 b"), test("B2 c", Result.FAILED)))
                .containsExactly(2);
    }

    @Test
    void isWholeOnlyWhenEachBehaviourAskedForIsShown() {
        assertThat(isWhole(test("B1 a"), test("B2 b"))).isTrue();
        assertThat(isWhole(test("B1 a"))).isFalse();
        assertThat(isWhole(test("B1 a"), test("B2 b", Result.SKIPPED))).isFalse();
        assertThat(isWhole(test("B1 a"), test("B2 b"), test("c", Result.FAILED)))
                .isFalse();
        assertThat(isWhole(test("B1 a"), test("B2 b"), test("B77 typo"))).isFalse();
    }

    @Test
    void namesTestsThatCiteANumberNobodyKnows() {
        var table = new Behaviours(LIST, new TestReport(List.of(test("B77 typo"))));

        assertThat(table.unknown()).containsOnlyKeys(77);
        assertThat(table.rows()).contains("B77 is in no list of behaviours: SomeTest");
    }

    @Test
    void leavesOutWhatIsPlannedUnlessATestShowsIt() {
        assertThat(lines(test("B1 a"))).noneMatch(line -> line.startsWith("B3"));
        assertThat(lines(test("B3 a"))).anyMatch(line -> line.startsWith("B3   passed   three"));
    }

    @Test
    void endsWithTheSums() {
        assertThat(lines(test("B1 a"), test("B1 b"), test("c", Result.FAILED)))
                .anyMatch(line -> line.startsWith("B1   passed   one") && line.endsWith("SomeTest x2"))
                .contains("behaviours: 2 asked for now, 1 shown, 1 lacking: B2")
                .endsWith("2 passed, 1 failed");
        assertThat(lines(test("a", Result.SKIPPED))).endsWith("0 passed, 0 failed, 1 skipped");
    }

    @Test
    void readsTheReportsOfAllModules(@TempDir Path root) throws IOException {
        write(root, "core", """
            <testsuite name="B1 class" tests="1">
              <testcase name="first" classname="B1 class" time="0.1"/>
              <testcase name="B2 x &lt; y" classname="B1 class">
                <system-out><![CDATA[<failure/>]]></system-out>
              </testcase>
            </testsuite>
            """);
        write(root, "cli", """
            <testsuite name="s"><properties><property name="a" value="b"/></properties>
              <testcase name="a" classname="s"><failure message="&#10;  Expecting:&#10;more">trace</failure></testcase>
              <testcase name="b" classname="s"><error type="java.lang.AssertionError">trace</error></testcase>
              <testcase name="c" classname="s"><skipped/></testcase>
            </testsuite>
            """);

        TestReport report = TestReport.of(root);

        assertThat(report.cases())
                .containsExactlyInAnyOrder(
                        new Case("core", "SomeTest", "B1 class", "first", Result.PASSED, ""),
                        new Case("core", "SomeTest", "B1 class", "B2 x < y", Result.PASSED, ""),
                        new Case("cli", "SomeTest", "s", "a", Result.FAILED, "Expecting:\nmore"),
                        new Case("cli", "SomeTest", "s", "b", Result.FAILED, "java.lang.AssertionError"),
                        new Case("cli", "SomeTest", "s", "c", Result.SKIPPED, ""));
    }

    private static void write(Path root, String module, String xml) throws IOException {
        Path dir = Files.createDirectories(root.resolve(module).resolve("target/surefire-reports"));
        Files.writeString(dir.resolve("TEST-dev.laneway.SomeTest.xml"), xml);
    }

    private static List<String> lines(Case... tests) {
        var table = new Behaviours(LIST, new TestReport(List.of(tests)));
        return Stream.concat(table.rows().stream(), table.sums().stream()).toList();
    }

    private static boolean isWhole(Case... tests) {
        return new Behaviours(LIST, new TestReport(List.of(tests))).isWhole();
    }

    private static List<Integer> lacking(Case... tests) {
        return new Behaviours(LIST, new TestReport(List.of(tests)))
                .lacking().stream().map(Behaviour::number).toList();
    }

    private static Case test(String name) {
        return test(name, Result.PASSED);
    }

    private static Case test(String name, Result result) {
        return new Case("core", "SomeTest", "SomeTest", name, result, "");
    }
}
