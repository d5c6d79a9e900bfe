package dev.laneway.bench.report;

import dev.laneway.bench.scenario.Plan;
import dev.laneway.bench.scenario.Scenario;
import dev.laneway.bench.scenario.Scenarios;
import dev.laneway.bench.scenario.Size;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The rows in a report's directory, of one or several commands. Immutable.
 *
 * @param plan the cases of which there are rows
 * @param rows those of the settings that the cases have now, case by case
 */
public record Kept(Plan plan, List<Row> rows) {
    /** What the directory has of the latest measurement's scenarios. */
    public static Kept of(Plan asked, Size size, RowFile file) {
        List<Plan.Part> parts = new ArrayList<>();
        List<Row> rows = new ArrayList<>();
        for (Scenario scenario : Scenarios.ALL) {
            for (Plan.Part part : candidates(asked, scenario, size)) {
                List<Row> some = file.all(scenario.name(), part.setting());
                if (!some.isEmpty()) {
                    parts.add(part);
                    rows.addAll(some);
                }
            }
        }
        int runs = rows.stream().mapToInt(Row::run).max().orElse(asked.runs());
        return new Kept(new Plan(List.copyOf(parts), runs), List.copyOf(rows));
    }

    /** All rows of the cases that there are, of whatever setting. */
    public static Kept all(RowFile file) {
        List<Plan.Part> parts = new ArrayList<>();
        List<Row> rows = new ArrayList<>();
        for (Plan.Part part : Plan.full().parts()) {
            List<Row> some = file.all().stream()
                    .filter(row -> row.scenario().equals(part.scenario().name())
                            && row.caseName().equals(part.setting().name()))
                    .toList();
            if (!some.isEmpty()) {
                parts.add(part);
                rows.addAll(some);
            }
        }
        int runs = rows.stream().mapToInt(Row::run).max().orElse(0);
        return new Kept(new Plan(List.copyOf(parts), runs), List.copyOf(rows));
    }

    /** The requested cases, which may be small ones, and the others of the scenario. */
    private static List<Plan.Part> candidates(Plan asked, Scenario scenario, Size size) {
        List<Plan.Part> wanted = asked.parts().stream()
                .filter(part -> part.scenario().equals(scenario))
                .toList();
        Set<String> names = wanted.stream().map(part -> part.setting().name()).collect(Collectors.toSet());
        return Stream.concat(
                        wanted.stream(),
                        scenario.cases(size).stream()
                                .filter(each -> !names.contains(each.name()))
                                .map(each -> new Plan.Part(scenario, each, asked.runs())))
                .toList();
    }
}
