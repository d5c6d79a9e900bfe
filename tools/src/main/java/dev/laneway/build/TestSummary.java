package dev.laneway.build;

import dev.laneway.build.TestReport.Case;
import dev.laneway.build.TestReport.Result;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What {@code ./laneway test} says of a run, in place of its log: which tests failed and why, how each module did, and
 * where the logs are.
 */
final class TestSummary {
    private static final String LOG = "target/test.log";
    private static final String REPORTS = "/target/surefire-reports";
    private static final int MOST_OF_A_LINE = 300;
    private static final int MOST_ERRORS = 20;
    /** Of a long message: what it is about stands first, and what was expected last. */
    private static final int MOST_AT_EACH_END = 12;

    private static final Pattern NAME = Pattern.compile("<name>([^<]+)</name>");
    private static final Pattern MODULE = Pattern.compile("<module>([^<]+)</module>");

    /** A line of Maven's last table: a module by its name, how it ended, and after how long. */
    private static final Pattern ENDED =
            Pattern.compile("\\[INFO] (\\S.*?) \\.+ (SUCCESS|FAILURE|SKIPPED)(?: \\[ *([^]]+)])?");

    /** How Maven says that a module ended. */
    private record End(String how, String duration) {}

    private final Map<String, End> ends = new LinkedHashMap<>();
    private final List<String> errors = new ArrayList<>();
    private final TestReport report;

    /**
     * @param modules names by directory
     * @param log what Maven said
     */
    TestSummary(Map<String, String> modules, List<String> log, TestReport report) {
        this.report = report;
        Map<String, End> byName = new LinkedHashMap<>();
        for (String line : log) {
            Matcher ended = ENDED.matcher(line);
            if (ended.matches()) {
                String duration = ended.group(3);
                byName.put(ended.group(1), new End(ended.group(2), duration == null ? "" : duration));
            } else if (line.startsWith("[ERROR] ") && errors.size() < MOST_ERRORS && !errors.contains(line)) {
                errors.add(line);
            }
        }
        modules.forEach((module, name) -> {
            End end = byName.get(name);
            // Maven makes no table of one module.
            boolean alone = byName.isEmpty()
                    && report.cases().stream().anyMatch(test -> test.module().equals(module));
            if (end != null || alone) {
                ends.put(module, end != null ? end : new End("SUCCESS", ""));
            }
        });
    }

    static TestSummary of(Path root, TestReport report) throws IOException {
        Map<String, String> modules = new LinkedHashMap<>();
        Matcher module = MODULE.matcher(Files.readString(root.resolve("pom.xml")));
        while (module.find()) {
            Matcher name =
                    NAME.matcher(Files.readString(root.resolve(module.group(1)).resolve("pom.xml")));
            modules.put(module.group(1), name.find() ? name.group(1) : module.group(1));
        }
        Path log = root.resolve(LOG);
        // Tests print what they like, in any encoding.
        List<String> lines = Files.exists(log)
                ? Files.readString(log, StandardCharsets.ISO_8859_1).lines().toList()
                : List.of();
        return new TestSummary(modules, lines, report);
    }

    List<String> lines() {
        List<String> lines = new ArrayList<>();
        List<Case> failed = report.cases().stream()
                .filter(test -> test.result() == Result.FAILED)
                .toList();
        if (!failed.isEmpty()) {
            lines.add("");
            lines.add("failed:");
            for (Case test : failed) {
                lines.add("  " + test.module() + " " + test.file() + ": " + test.name());
                told(test.said()).forEach(line -> lines.add("      " + shortened(line)));
            }
        }
        lines.add("");
        lines.add("%-10s %7s %7s %12s  %s".formatted("module", "tests", "failed", "duration", "log"));
        ends.forEach((module, end) -> lines.add(line(module, end)));
        if (failed.isEmpty() && ends.values().stream().anyMatch(end -> end.how().equals("FAILURE"))) {
            lines.add("");
            lines.add("no test failed, but the build did:");
            errors.forEach(error -> lines.add("  " + shortened(error)));
        }
        lines.add("Maven's log is " + LOG);
        return lines;
    }

    private String line(String module, End end) {
        List<Case> tests = report.cases().stream()
                .filter(test -> test.module().equals(module))
                .toList();
        long failed =
                tests.stream().filter(test -> test.result() == Result.FAILED).count();
        String log = tests.isEmpty() ? "" : module + REPORTS;
        String how = end.how().equals("SUCCESS") ? "" : end.how();
        return "%-10s %,7d %,7d %12s  %s"
                .formatted(module, tests.size(), failed, end.duration(), (log + " " + how).strip())
                .stripTrailing();
    }

    private static List<String> told(String said) {
        List<String> all = said.lines().toList();
        if (all.size() <= 2 * MOST_AT_EACH_END) {
            return all;
        }
        List<String> told = new ArrayList<>(all.subList(0, MOST_AT_EACH_END));
        told.add("... %,d lines ...".formatted(all.size() - 2 * MOST_AT_EACH_END));
        told.addAll(all.subList(all.size() - MOST_AT_EACH_END, all.size()));
        return told;
    }

    private static String shortened(String line) {
        return line.length() <= MOST_OF_A_LINE ? line : line.substring(0, MOST_OF_A_LINE) + " ...";
    }
}
