package dev.laneway.cli.compare;

import dev.laneway.ops.compare.ComparisonRow;
import dev.laneway.ops.compare.LoadCases;
import dev.laneway.ops.compare.PolicyComparison;
import dev.laneway.ops.compare.ScalingContender;
import dev.laneway.ops.simulate.SimulationResult;
import dev.laneway.ops.simulate.Tick;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.ToDoubleFunction;

/**
 * A comparison as one HTML file without links to elsewhere: for each load two charts and a table. Used by one thread.
 */
final class ComparePage {
    private final PolicyComparison comparison;
    private final StringBuilder html = new StringBuilder();

    private ComparePage(PolicyComparison comparison) {
        this.comparison = comparison;
    }

    /** @param command that makes it again */
    static String of(PolicyComparison comparison, String command) {
        ComparePage page = new ComparePage(comparison);
        page.write(command);
        return page.html.toString();
    }

    private void write(String command) {
        html.append("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
        html.append("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
        html.append("<title>Scaling policies side by side</title>\n<style>\n").append(style());
        html.append("</style>\n</head>\n<body>\n<h1>Scaling policies side by side</h1>\n<p><code>");
        html.append(escaped(command)).append("</code></p>\n");
        CompareText.summary(comparison)
                .forEach(line -> html.append("<p>").append(escaped(line)).append("</p>\n"));
        html.append("<p>Settings of policies are constants; heights and times of the loads are drawn from the seeds."
                + " Charts show the first seed, tables the mean of all.</p>\n<ul class=\"policies\">\n");
        for (int i = 0; i < ScalingContender.ALL.size(); i++) {
            ScalingContender policy = ScalingContender.ALL.get(i);
            html.append("<li><span class=\"key p")
                    .append(i)
                    .append("\"></span><b>")
                    .append(escaped(policy.name()));
            html.append("</b>: ").append(escaped(policy.settings())).append("</li>\n");
        }
        html.append("</ul>\n");
        String before = "";
        for (ComparisonRow row : comparison.rows()) {
            String title = CompareText.title(row);
            if (!title.equals(before)) {
                before = title;
                load(
                        title,
                        comparison.rows().stream()
                                .filter(other -> CompareText.title(other).equals(title))
                                .toList());
            }
        }
        html.append("</body>\n</html>\n");
    }

    private void load(String title, List<ComparisonRow> rows) {
        ComparisonRow first = rows.getFirst();
        List<PolicyComparison.Run> runs = comparison.runs().stream()
                .filter(run ->
                        run.load().name().equals(first.load()) && run.load().isStateful() == first.isStateful())
                .toList();
        html.append("<h2>").append(escaped(title)).append("</h2>\n<div class=\"charts\">\n");
        chart("records a second that come", List.of(runs.getFirst()), Tick::appendRate, "come");
        chart("members, over hours", runs, tick -> (double) tick.requestedMembers(), "");
        scatter(rows);
        html.append("</div>\n");
        table(rows);
    }

    /** Lines over the simulated time, the policy of this project last, so that it lies above. */
    private void chart(String name, List<PolicyComparison.Run> runs, ToDoubleFunction<Tick> value, String style) {
        CompareChart chart = new CompareChart(name);
        double hours = 0;
        double most = 1;
        for (PolicyComparison.Run run : runs) {
            List<Tick> ticks = run.result().ticks();
            hours = Math.max(hours, ticks.getLast().seconds() / 3_600);
            most = Math.max(most, ticks.stream().mapToDouble(value).max().orElse(1));
        }
        chart.axes(hours, most);
        for (PolicyComparison.Run run : runs) {
            SimulationResult result = run.result();
            chart.line(
                    style.isEmpty() ? "p" + place(run.policy()) : style,
                    run.policy(),
                    result.ticks(),
                    tick -> tick.seconds() / 3_600,
                    value);
        }
        html.append(chart.svg());
    }

    private void scatter(List<ComparisonRow> rows) {
        CompareChart chart = new CompareChart("minutes over the goal, against instance-hours");
        chart.axes(
                rows.stream().mapToDouble(ComparisonRow::instanceHours).max().orElse(1),
                Math.max(
                        1,
                        rows.stream()
                                .mapToDouble(ComparisonRow::breachMinutes)
                                .max()
                                .orElse(1)));
        rows.forEach(
                row -> chart.dot("p" + place(row.policy()), row.policy(), row.instanceHours(), row.breachMinutes()));
        html.append(chart.svg());
    }

    private static int place(String policy) {
        return ScalingContender.ALL.stream()
                .map(ScalingContender::name)
                .toList()
                .indexOf(policy);
    }

    private void table(List<ComparisonRow> rows) {
        html.append("<div class=\"scroll\"><table>\n<tr>");
        List.of(
                        "policy",
                        "minutes over " + Math.round(LoadCases.GOAL_SECONDS) + " s",
                        "p50 s",
                        "p99 s",
                        "instance-hours",
                        "changes",
                        "longest over s",
                        "")
                .forEach(cell -> html.append("<th scope=\"col\">").append(cell).append("</th>"));
        html.append("</tr>\n");
        for (ComparisonRow row : rows) {
            html.append(ScalingContender.OURS.equals(row.policy()) ? "<tr class=\"ours\">" : "<tr>");
            html.append("<td><span class=\"key p")
                    .append(place(row.policy()))
                    .append("\"></span>")
                    .append(escaped(row.policy()))
                    .append("</td>");
            number(row.breachMinutes());
            number(row.p50Seconds());
            number(row.p99Seconds());
            number(row.instanceHours());
            number(row.rescales());
            number(row.recoverySeconds());
            html.append("<td>")
                    .append(row.isFirst() ? "front, first" : row.isOnFront() ? "front" : "")
                    .append("</td></tr>\n");
        }
        html.append("</table></div>\n");
    }

    private void number(double value) {
        html.append("<td class=\"number\">")
                .append(String.format(Locale.ROOT, "%,.1f", value))
                .append("</td>");
    }

    static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }

    private static String style() {
        try (InputStream in = Objects.requireNonNull(ComparePage.class.getResourceAsStream("compare.css"))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
