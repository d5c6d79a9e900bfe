package dev.laneway.cli.compare;

import dev.laneway.cli.program.Lines;
import dev.laneway.ops.compare.ComparisonRow;
import dev.laneway.ops.compare.LoadCases;
import dev.laneway.ops.compare.PolicyComparison;
import dev.laneway.ops.compare.ScalingContender;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** A comparison as lines of text. Pure functions. */
final class CompareText {
    private CompareText() {}

    static List<String> lines(PolicyComparison comparison, int width) {
        List<String> lines = new ArrayList<>();
        String before = "";
        for (ComparisonRow row : comparison.rows()) {
            String title = title(row);
            if (!title.equals(before)) {
                lines.add("");
                lines.add(Lines.cut(
                        String.format(
                                Locale.ROOT,
                                "%-15s%8s%6s%7s%7s%6s%8s",
                                shortTitle(row),
                                "breach",
                                "p50",
                                "p99",
                                "hours",
                                "moves",
                                "recover"),
                        width));
                before = title;
            }
            lines.add(Lines.cut(line(row), width));
        }
        lines.add("");
        summary(comparison).forEach(line -> lines.addAll(Lines.wrap(line, width)));
        return lines;
    }

    private static String line(ComparisonRow row) {
        return String.format(
                Locale.ROOT,
                "%s%-14s%6.1f m%5.1fs%6.0fs%7.1f%6.0f%7.0fs",
                mark(row),
                row.policy(),
                row.breachMinutes(),
                row.p50Seconds(),
                row.p99Seconds(),
                row.instanceHours(),
                row.rescales(),
                row.recoverySeconds());
    }

    static String mark(ComparisonRow row) {
        return row.isFirst() ? "+" : row.isOnFront() ? "*" : " ";
    }

    static String title(ComparisonRow row) {
        return row.load() + (row.isStateful() ? ", with state" : "");
    }

    private static String shortTitle(ComparisonRow row) {
        return row.load() + (row.isStateful() ? "+s" : "");
    }

    /** What this project's policy reached, and where it did not. */
    static List<String> summary(PolicyComparison comparison) {
        List<String> lines = new ArrayList<>();
        lines.add(String.format(
                Locale.ROOT,
                "breach: minutes with records older than %.0f s; p50, p99: age when done; hours: of all members;"
                        + " recover: longest time over the goal; +s: with state",
                LoadCases.GOAL_SECONDS));
        List<ComparisonRow> ours = comparison.rows().stream()
                .filter(row -> row.policy().equals(ScalingContender.OURS))
                .toList();
        lines.add(ScalingContender.OURS + " is on the front (*, +) in "
                + ours.stream().filter(ComparisonRow::isOnFront).count() + " of " + ours.size()
                + missing(ours.stream().filter(row -> !row.isOnFront()).toList()));
        lines.add(ScalingContender.OURS + " is first (+, the fewest breach minutes of all that scale) in "
                + ours.stream().filter(ComparisonRow::isFirst).count() + " of " + ours.size()
                + missing(ours.stream().filter(row -> !row.isFirst()).toList()));
        return lines;
    }

    private static String missing(List<ComparisonRow> rows) {
        return rows.isEmpty()
                ? ""
                : "; not in " + rows.stream().map(CompareText::title).collect(Collectors.joining("; "));
    }
}
