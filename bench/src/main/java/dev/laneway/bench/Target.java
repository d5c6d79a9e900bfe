package dev.laneway.bench;

import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A speed that is to be reached. Immutable.
 *
 * @param id its number and what tells it from others of that number
 * @param what for people
 * @param must what is called too slow when it is missed; where {@code goal} is below it, less is better
 * @param goal what is aimed at
 * @param taking reads it from all rows; null when they have it not
 */
record Target(String id, String what, double must, double goal, Function<List<Row>, @Nullable Figure> taking) {
    /** What a value reaches: goal, must or no. */
    String met(double value) {
        double sign = goal < must ? -1 : 1;
        return sign * value >= sign * goal ? "goal" : sign * value >= sign * must ? "must" : "no";
    }

    /** A number of a peer in a case. */
    static Function<List<Row>, @Nullable Figure> of(
            String scenario, String caseName, String peer, Function<Row, @Nullable Double> number) {
        return rows -> Figure.of(
                rows.stream()
                        .filter(row -> row.scenario().equals(scenario)
                                && row.caseName().equals(caseName)
                                && row.peer().equals(peer))
                        .toList(),
                number);
    }

    /** The rate of Laneway by that of a rival, run by run. */
    static Function<List<Row>, @Nullable Figure> times(String scenario, String caseName, String peer, String rival) {
        return rows -> Figure.of(
                rows.stream()
                        .filter(row -> row.scenario().equals(scenario)
                                && row.caseName().equals(caseName))
                        .filter(row -> row.peer().equals(peer))
                        .toList(),
                row -> {
                    Double mine = row.result().rate();
                    Double other = rows.stream()
                            .filter(each -> each.isOk()
                                    && each.scenario().equals(scenario)
                                    && each.caseName().equals(caseName)
                                    && each.peer().equals(rival)
                                    && each.run() == row.run())
                            .map(each -> each.result().rate())
                            .findFirst()
                            .orElse(null);
                    return mine == null || other == null ? null : mine / other;
                });
    }

    /** A figure that only its workload measures. */
    static Function<Row, @Nullable Double> figure(String name) {
        return row -> row.result().figures().get(name);
    }
}
