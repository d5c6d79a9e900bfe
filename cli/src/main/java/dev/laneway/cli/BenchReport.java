package dev.laneway.cli;

import dev.laneway.cli.BenchFigure.Met;
import dev.laneway.cli.BenchFigure.Target;
import dev.laneway.cli.BenchFigure.Unit;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What was measured, for people and as JSON. Immutable. */
record BenchReport(String command, BenchMachine machine, BenchPlan plan, List<BenchFigure> figures) {
    private static final List<String> HEADER = List.of("id", "what", "must", "goal", "measured", "met");
    private static final String NONE = "-";

    Map<String, Object> toJson() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("command", command);
        json.putAll(machine.toJson());
        json.put("quick", plan.quick());
        json.put("scale", plan.scale());
        json.put("figures", figures.stream().map(BenchFigure::toJson).toList());
        return json;
    }

    void print(PrintStream text) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(HEADER);
        figures.forEach(figure -> rows.add(row(figure)));
        int[] widths = new int[HEADER.size()];
        for (List<String> row : rows) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        text.println();
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < widths.length; i++) {
                line.append(row.get(i)).repeat(" ", widths[i] - row.get(i).length() + 2);
            }
            text.println(line.toString().stripTrailing());
        }
        text.println();
        text.println(machine.text());
        text.println(command);
    }

    private static List<String> row(BenchFigure figure) {
        BenchFigure.Kind kind = figure.kind();
        Unit unit = kind.unit();
        Target target = kind.target();
        Met met = figure.met();
        String measured = unit.writeWithUnit(figure.median());
        if (figure.rounds().size() > 1) {
            measured += " (" + unit.write(figure.min()) + " to " + unit.write(figure.max()) + ")";
        }
        return List.of(
                kind.id(),
                kind.what(),
                target == null ? NONE : unit.write(target.must()),
                target == null ? NONE : unit.write(target.goal()),
                measured,
                met == null ? NONE : met.text());
    }
}
