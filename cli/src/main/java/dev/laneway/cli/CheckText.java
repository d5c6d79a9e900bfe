package dev.laneway.cli;

import dev.laneway.cli.program.Lines;
import dev.laneway.ops.check.Cause;
import dev.laneway.ops.check.CheckResult;
import dev.laneway.ops.check.Finding;
import dev.laneway.ops.check.FindingStatus;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** A verdict and its findings as lines of text. Pure functions. */
final class CheckText {
    private CheckText() {}

    static List<String> lines(CheckResult result, String name, int width) {
        List<String> lines = new ArrayList<>();
        lines.addAll(Lines.wrap(name + ": " + headline(result), width));
        lines.addAll(Lines.wrap("  " + result.sentence(), width));
        if (!result.remedy().isEmpty()) {
            lines.addAll(Lines.wrap("  Do: " + result.remedy(), width));
        }
        result.evidence().forEach(line -> lines.addAll(Lines.wrap("  - " + line, width)));
        if (!result.runnersUp().isEmpty()) {
            lines.addAll(Lines.wrap(
                    "  Also seen: "
                            + result.runnersUp().stream().map(Cause::words).collect(Collectors.joining("; ")),
                    width));
        }
        lines.add("");
        for (FindingStatus status : List.of(FindingStatus.FAIL, FindingStatus.WARN)) {
            result.findings().stream()
                    .filter(finding -> finding.status() == status)
                    .forEach(finding -> lines.addAll(finding(finding, width)));
        }
        fine(result, width, lines);
        unknown(result, width, lines);
        return lines;
    }

    private static String headline(CheckResult result) {
        Cause cause = result.cause();
        return result.outcome()
                + (cause == null
                        ? ""
                        : ", " + cause.name().toLowerCase(Locale.ROOT).replace('_', '-'))
                + " (" + result.confidence().name().toLowerCase(Locale.ROOT) + " confidence)";
    }

    private static List<String> finding(Finding finding, int width) {
        List<String> lines = new ArrayList<>(Lines.wrap(
                String.format(
                        Locale.ROOT,
                        "%-4s %-3s %s: %s",
                        finding.status(),
                        finding.rule(),
                        finding.rule().title(),
                        finding.observed()),
                width));
        if (finding.status() != FindingStatus.OK) {
            lines.addAll(Lines.wrap("         " + finding.diagnosis(), width));
            lines.addAll(Lines.wrap("         fine: " + finding.threshold(), width));
        }
        return lines;
    }

    /** What is fine; rules that say the same, such as that there is no Kafka Streams, in one line. */
    private static void fine(CheckResult result, int width, List<String> lines) {
        result.findings().stream()
                .filter(finding -> finding.status() == FindingStatus.OK)
                .collect(Collectors.groupingBy(Finding::observed, LinkedHashMap::new, Collectors.toList()))
                .forEach((observed, findings) -> lines.addAll(
                        findings.size() == 1
                                ? finding(findings.getFirst(), width)
                                : Lines.wrap("OK   " + ids(findings) + ": " + observed, width)));
    }

    private static String ids(List<Finding> findings) {
        return findings.stream().map(each -> each.rule().name()).collect(Collectors.joining(", "));
    }

    /** What cannot be seen, by how it can. */
    private static void unknown(CheckResult result, int width, List<String> lines) {
        result.findings().stream()
                .filter(finding -> finding.status() == FindingStatus.UNKNOWN)
                .collect(Collectors.groupingBy(Finding::recommendation, LinkedHashMap::new, Collectors.toList()))
                .forEach((how, findings) -> lines.addAll(Lines.wrap(
                        "?    "
                                + findings.stream()
                                        .map(each -> each.rule().name())
                                        .collect(Collectors.joining(", ")) + " cannot be seen: " + how,
                        width)));
    }
}
