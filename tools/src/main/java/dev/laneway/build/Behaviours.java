package dev.laneway.build;

import dev.laneway.build.TestReport.Case;
import dev.laneway.build.TestReport.Result;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The table that ends {@code ./laneway test}: each behaviour, the tests that show it, and whether they passed.
 *
 * <p>A test shows the numbers at the start of its own display name, or else of its class's: {@code "B17 B18 ..."}.
 */
final class Behaviours {
    private static final Pattern NUMBERS = Pattern.compile("^(?:B\\d+\\b[\\s,:]*)+");
    private static final Pattern NUMBER = Pattern.compile("B(\\d+)");
    private static final int TESTS_WIDTH = 60;

    /** One promise. {@code now}: the build lacks something while no passing test shows it. */
    record Behaviour(int number, boolean now, String title) {}

    private final List<Behaviour> behaviours;
    private final TestReport report;
    private final Map<Integer, List<Case>> shownBy = new TreeMap<>();

    Behaviours(List<Behaviour> behaviours, TestReport report) {
        this.behaviours = List.copyOf(behaviours);
        this.report = report;
        for (Case test : report.cases()) {
            for (int number : numbers(test)) {
                shownBy.computeIfAbsent(number, _ -> new ArrayList<>()).add(test);
            }
        }
    }

    /** Prints the table for the repository at {@code args[0]}. Exits with 1 unless it {@link #isWhole}. */
    public static void main(String[] args) throws IOException {
        Path root = Path.of(args[0]);
        TestReport report = TestReport.of(root);
        var table = new Behaviours(list(), report);
        table.rows().forEach(System.out::println);
        TestSummary.of(root, report).lines().forEach(System.out::println);
        table.sums().forEach(System.out::println);
        System.exit(table.isWhole() ? 0 : 1);
    }

    /**
     * Whether no test failed, no test names a number that is not in the list, and each behaviour asked for now has a
     * passing test.
     */
    boolean isWhole() {
        return report.count(Result.FAILED) == 0
                && unknown().isEmpty()
                && lacking().isEmpty();
    }

    /** The table, and under it the numbers that are in no list. */
    List<String> rows() {
        var lines = new ArrayList<String>();
        for (Behaviour behaviour : behaviours) {
            List<Case> tests = shownBy.getOrDefault(behaviour.number(), List.of());
            if (behaviour.now() || !tests.isEmpty()) {
                addRow(lines, behaviour, tests);
            }
        }
        unknown().forEach((number, tests) -> lines.add("B" + number + " is in no list of behaviours: " + names(tests)));
        return lines;
    }

    /** What is asked for now and has no test, or a failing one. */
    List<Behaviour> lacking() {
        return behaviours.stream()
                .filter(Behaviour::now)
                .filter(behaviour -> !passed(shownBy.getOrDefault(behaviour.number(), List.of())))
                .toList();
    }

    /** Numbers that tests cite and that no behaviour has: a slip of the pen would otherwise hide. */
    Map<Integer, List<Case>> unknown() {
        Set<Integer> known = behaviours.stream().map(Behaviour::number).collect(Collectors.toSet());
        var unknown = new TreeMap<>(shownBy);
        unknown.keySet().removeAll(known);
        return unknown;
    }

    /** How many behaviours are shown and, in the last line, how the tests of all modules ended. */
    List<String> sums() {
        List<Behaviour> lacking = lacking();
        long asked = behaviours.stream().filter(Behaviour::now).count();
        String shown = "behaviours: %d asked for now, %d shown, %d lacking%s"
                .formatted(
                        asked, asked - lacking.size(), lacking.size(), lacking.isEmpty() ? "" : ": " + join(lacking));
        return List.of("", shown, total());
    }

    private String total() {
        long skipped = report.count(Result.SKIPPED);
        return "%d passed, %d failed".formatted(report.count(Result.PASSED), report.count(Result.FAILED))
                + (skipped == 0 ? "" : ", %d skipped".formatted(skipped));
    }

    private static void addRow(List<String> lines, Behaviour behaviour, List<Case> tests) {
        String state = tests.isEmpty() ? "LACKING" : passed(tests) ? "passed" : "FAILED";
        List<String> shown = wrap(names(tests));
        lines.add("%-4s %-8s %-70s %s"
                .formatted("B" + behaviour.number(), state, behaviour.title(), shown.getFirst())
                .stripTrailing());
        shown.stream().skip(1).forEach(more -> lines.add(" ".repeat(85) + more));
    }

    private static boolean passed(List<Case> tests) {
        return tests.stream().anyMatch(test -> test.result() == Result.PASSED)
                && tests.stream().noneMatch(test -> test.result() == Result.FAILED);
    }

    /** Test classes, each with its number of tests if that is more than one. */
    private static String names(List<Case> tests) {
        return tests.stream()
                .collect(Collectors.groupingBy(Case::file, TreeMap::new, Collectors.counting()))
                .entrySet()
                .stream()
                .map(entry -> entry.getValue() == 1 ? entry.getKey() : entry.getKey() + " x" + entry.getValue())
                .collect(Collectors.joining(", "));
    }

    private static List<String> wrap(String text) {
        var lines = new ArrayList<String>();
        var line = new StringBuilder();
        for (String word : text.split("(?<=, )", -1)) {
            if (!line.isEmpty() && line.length() + word.length() > TESTS_WIDTH) {
                lines.add(line.toString().stripTrailing());
                line.setLength(0);
            }
            line.append(word);
        }
        lines.add(line.toString());
        return lines;
    }

    private static String join(List<Behaviour> behaviours) {
        return behaviours.stream().map(behaviour -> "B" + behaviour.number()).collect(Collectors.joining(" "));
    }

    static Set<Integer> numbers(Case test) {
        Set<Integer> own = numbers(test.name());
        return own.isEmpty() ? numbers(test.container()) : own;
    }

    private static Set<Integer> numbers(String displayName) {
        var numbers = new LinkedHashSet<Integer>();
        Matcher start = NUMBERS.matcher(displayName);
        if (start.find()) {
            NUMBER.matcher(start.group()).results().forEach(match -> numbers.add(Integer.valueOf(match.group(1))));
        }
        return numbers;
    }

    /** The list in {@code behaviours.txt}. */
    static List<Behaviour> list() {
        try (InputStream in = Behaviours.class.getResourceAsStream("behaviours.txt")) {
            if (in == null) {
                throw new IllegalStateException("behaviours.txt is not beside the class: build the tools module again");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.startsWith("#"))
                    .map(Behaviours::parse)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Behaviour parse(String line) {
        String[] parts = line.split(" \\| ", 3);
        if (parts.length != 3 || !parts[1].matches("now|later")) {
            throw new IllegalArgumentException("'" + line + "' is not of the form: B1 | now or later | title");
        }
        return new Behaviour(Integer.parseInt(parts[0].substring(1)), parts[1].equals("now"), parts[2]);
    }
}
