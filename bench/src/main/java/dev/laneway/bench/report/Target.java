package dev.laneway.bench.report;

import java.util.List;
import java.util.function.DoubleBinaryOperator;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A goal for a figure. Immutable.
 *
 * @param id its number, and what distinguishes it from others of that number
 * @param what for people
 * @param must the least acceptable value; if {@code goal} is below it, less is better
 * @param goal the value to reach
 * @param taking reads the figure from all rows; null if they do not have it
 */
record Target(String id, String what, double must, double goal, Function<List<Row>, @Nullable Figure> taking) {
    /** What a value reaches: goal, must or none. */
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

    /** The rate of a peer / that of a rival, run by run. */
    static Function<List<Row>, @Nullable Figure> times(String scenario, String caseName, String peer, String rival) {
        return compared(scenario, caseName, peer, rival, row -> row.result().rate(), (mine, other) -> mine / other);
    }

    /** The rate of a peer / that of the fastest rival, run by run; null if a rival was not measured. */
    static Function<List<Row>, @Nullable Figure> timesBest(
            String scenario, String caseName, String peer, String... rivals) {
        return rows -> {
            List<Row> of = ofCase(rows, scenario, caseName);
            return Figure.of(of.stream().filter(row -> row.peer().equals(peer)).toList(), row -> {
                double best = 0;
                for (String rival : rivals) {
                    Double rate =
                            numberOf(of, rival, row.run(), each -> each.result().rate());
                    if (rate == null) {
                        return null;
                    }
                    best = Math.max(best, rate);
                }
                Double mine = row.result().rate();
                return mine == null || best == 0 ? null : mine / best;
            });
        };
    }

    /** The difference between the numbers of a peer and a rival, run by run. */
    static Function<List<Row>, @Nullable Figure> more(
            String scenario, String caseName, String peer, String rival, Function<Row, @Nullable Double> number) {
        return compared(scenario, caseName, peer, rival, number, (mine, other) -> mine - other);
    }

    private static Function<List<Row>, @Nullable Figure> compared(
            String scenario,
            String caseName,
            String peer,
            String rival,
            Function<Row, @Nullable Double> number,
            DoubleBinaryOperator comparison) {
        return rows -> {
            List<Row> of = ofCase(rows, scenario, caseName);
            return Figure.of(of.stream().filter(row -> row.peer().equals(peer)).toList(), row -> {
                Double mine = number.apply(row);
                Double other = numberOf(of, rival, row.run(), number);
                return mine == null || other == null ? null : comparison.applyAsDouble(mine, other);
            });
        };
    }

    private static List<Row> ofCase(List<Row> rows, String scenario, String caseName) {
        return rows.stream()
                .filter(row -> row.scenario().equals(scenario) && row.caseName().equals(caseName))
                .toList();
    }

    private static @Nullable Double numberOf(
            List<Row> rows, String peer, int run, Function<Row, @Nullable Double> number) {
        return rows.stream()
                .filter(row -> row.isOk() && row.peer().equals(peer) && row.run() == run)
                .findFirst()
                .map(number)
                .orElse(null);
    }

    /** A figure that only its workload measures. */
    static Function<Row, @Nullable Double> figure(String name) {
        return row -> row.result().figures().get(name);
    }
}
