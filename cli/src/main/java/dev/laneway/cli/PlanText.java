package dev.laneway.cli;

import dev.laneway.cli.chart.SvgChart;
import dev.laneway.cli.program.Lines;
import dev.laneway.ops.plan.Capacity;
import dev.laneway.ops.plan.Curve;
import dev.laneway.ops.plan.Figure;
import dev.laneway.ops.plan.MeasuredWork;
import dev.laneway.ops.plan.ModePlan;
import dev.laneway.ops.plan.Plan;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A plan as lines of text, and as a chart. Pure functions. */
final class PlanText {
    private static final String ROW = "  %-10s%11s%9s%14s%14s";

    private PlanText() {}

    static List<String> lines(Plan plan, @Nullable MeasuredWork measured, int width) {
        List<String> lines = new ArrayList<>();
        if (measured != null) {
            lines.add("Measured");
            measured.evidence().forEach(each -> lines.addAll(Lines.wrap("  - " + each, width)));
            lines.add("");
        }
        boolean isGiven = plan.request().goals().partitions() > 0
                && plan.request().goals().members() > 0;
        lines.addAll(Lines.wrap(
                isGiven
                        ? "What these partitions and members carry, with nothing to spare"
                        : "The least that carries it by Little's law, with nothing to spare",
                width));
        lines.add(Lines.cut(
                String.format(Locale.ROOT, ROW, "", "partitions", "members", "Little says", "reserve says"), width));
        for (ModePlan mode : plan.modes()) {
            lines.add(Lines.cut(row(mode), width));
        }
        lines.add("");
        lines.addAll(Lines.wrap(
                "Planned, ordering " + plan.request().mode().word() + ": " + plan.members() + " members, "
                        + plan.chosen().partitions() + " partitions",
                width));
        for (Figure figure : plan.figures()) {
            lines.addAll(Lines.wrap(
                    "  " + figure.name().replace('_', ' ').replaceAll(" (seconds|bytes)$", "") + ": " + figure.text(),
                    width));
            lines.addAll(Lines.wrap("    " + figure.sentence(), width));
        }
        if (!plan.warnings().isEmpty()) {
            lines.add("");
        }
        plan.warnings().forEach(each -> lines.addAll(Lines.wrap("! " + each, width)));
        return lines;
    }

    private static String row(ModePlan mode) {
        return String.format(
                Locale.ROOT,
                ROW,
                mode.mode().word(),
                String.format(Locale.ROOT, "%,d", mode.partitions()),
                String.format(Locale.ROOT, "%,d", mode.members()),
                rate(mode.little()),
                rate(mode.real()));
    }

    private static String rate(Capacity capacity) {
        return String.format(Locale.ROOT, "%,.0f/s", capacity.rate());
    }

    static SvgChart chart(Plan plan) {
        List<SvgChart.Line> lines = new ArrayList<>();
        double most = 1;
        for (Curve curve : Curve.of(plan)) {
            lines.add(new SvgChart.Line(
                    curve.name(),
                    curve.points().stream().map(Curve.Point::number).toList(),
                    curve.points().stream().map(Curve.Point::rate).toList(),
                    null));
            most = Math.max(most, curve.points().getLast().number());
        }
        lines.add(new SvgChart.Line("needed", List.of(1.0, most), List.of(plan.need(), plan.need()), null));
        return new SvgChart(
                "What " + plan.chosen().members() + " members do, ordering "
                        + plan.request().mode().word(),
                "concurrency of a member, keys, or partitions; the others as planned",
                "records a second",
                true,
                lines);
    }
}
