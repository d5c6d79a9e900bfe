package dev.laneway.cli;

import dev.laneway.cli.chart.SvgChart;
import dev.laneway.cli.program.Lines;
import dev.laneway.cli.program.Text;
import dev.laneway.ops.simulate.Scenario;
import dev.laneway.ops.simulate.SimulationResult;
import dev.laneway.ops.simulate.Tick;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** What came of a simulation as lines of text, and as a chart. Pure functions. */
final class SimulateText {
    private static final int ROWS = 15;

    private SimulateText() {}

    static List<String> lines(SimulationResult result, Scenario scenario, double wallSeconds, int width) {
        List<String> lines = new ArrayList<>();
        lines.add(Lines.cut(
                String.format(
                        Locale.ROOT, "%9s%10s%10s%12s%8s%6s%5s", "time", "in/s", "out/s", "lag", "age", "busy", "m"),
                width));
        int all = result.ticks().size();
        int rows = Math.min(ROWS, all);
        for (int row = 1; row <= rows; row++) {
            lines.add(Lines.cut(row(result.ticks().get((int) ((long) all * row / rows) - 1)), width));
        }
        lines.add("");
        String goal = Text.duration(time(scenario.span().goalSeconds()));
        List.of(
                        "done: " + Text.count(result.done()) + " of " + Text.count(result.appended()) + " records, "
                                + Text.rate(result.rate()) + "/s; lag at the end " + Text.count(result.lag())
                                + ", at most " + Text.count(result.mostLag()),
                        "age when done: half under " + Text.duration(time(result.p50Seconds())) + ", 99 % under "
                                + Text.duration(time(result.p99Seconds())) + ", the oldest "
                                + Text.duration(time(result.maxSeconds())),
                        "older than " + goal + ": for " + String.format(Locale.ROOT, "%.1f", result.breachMinutes())
                                + " minutes",
                        "workers busy: " + Text.percent(result.busyShare()) + " of their time",
                        "members: " + String.format(Locale.ROOT, "%.2f", result.instanceHours())
                                + " instance-hours, their number changed "
                                + (result.rescales() == 1 ? "once" : result.rescales() + " times"),
                        "seed " + scenario.span().seed() + ", simulated at "
                                + Text.rate((double) result.done() / wallSeconds) + " records a second")
                .forEach(line -> lines.addAll(Lines.wrap(line, width)));
        return lines;
    }

    private static Duration time(double seconds) {
        return Duration.ofNanos(Math.round(seconds * 1e9));
    }

    private static String row(Tick tick) {
        return String.format(
                Locale.ROOT,
                "%9s%10s%10s%12s%8s%5.0f%%%5d%s",
                clock(tick.seconds()),
                Text.rate(tick.appendRate()),
                Text.rate(tick.processRate()),
                Text.count(tick.lag()),
                tick.ageSeconds() < 0.0005 ? "-" : age(tick.ageSeconds()),
                100 * tick.busyShare(),
                tick.members(),
                tick.isMoving() ? "*" : "");
    }

    private static String age(double seconds) {
        return seconds < 100
                ? String.format(Locale.ROOT, "%.1fs", seconds)
                : String.format(Locale.ROOT, "%.0fs", seconds);
    }

    private static String clock(double seconds) {
        long whole = (long) seconds;
        return String.format(Locale.ROOT, "%d:%02d:%02d", whole / 3_600, whole / 60 % 60, whole % 60);
    }

    static SvgChart chart(SimulationResult result) {
        return new SvgChart(
                "Simulated group",
                "seconds",
                "records a second",
                false,
                List.of(
                        line("come", result, Tick::appendRate, null),
                        line("done", result, Tick::processRate, null),
                        line("lag", result, tick -> (double) tick.lag(), "records")));
    }

    private static SvgChart.Line line(
            String name,
            SimulationResult result,
            ToDoubleFunction<Tick> value,
            @org.jspecify.annotations.Nullable String right) {
        return new SvgChart.Line(
                name,
                result.ticks().stream().map(Tick::seconds).toList(),
                result.ticks().stream().map(value::applyAsDouble).toList(),
                right);
    }
}
