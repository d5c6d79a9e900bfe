package dev.laneway.bench.report;

import dev.laneway.bench.scenario.ScenarioPrefetch;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The handler time from which on a library is faster than a loop that fetches and handles in turn: for each run of the
 * prefetch scenario, interpolated between the last time at which the loop is ahead and the first at which the library
 * is.
 */
final class Crossover {
    private static final String CASE = "sweep";

    private Crossover() {}

    /** For each library with a rate at every handler time, the milliseconds for 1,000 records; null is never. */
    static Map<String, @Nullable Figure> ofAll(List<Row> rows) {
        Map<String, @Nullable Figure> all = new LinkedHashMap<>();
        for (Row row : rows) {
            if (isIn(row) && !row.peer().equals("bare") && !all.containsKey(row.peer())) {
                all.put(row.peer(), of(rows, row.peer()));
            }
        }
        return all;
    }

    /** Of one library; null if it has no run, or is always behind. */
    static @Nullable Figure of(List<Row> rows, String peer) {
        List<Row> runs = rows.stream()
                .filter(row -> isIn(row) && row.peer().equals(peer))
                .toList();
        return Figure.of(
                runs,
                row -> rows.stream()
                        .filter(bare ->
                                isIn(bare) && bare.peer().equals("bare") && bare.run() == row.run() && bare.isOk())
                        .findFirst()
                        .map(bare -> millis(bare, row))
                        .orElse(null));
    }

    private static boolean isIn(Row row) {
        return row.scenario().equals("prefetch") && row.caseName().equals(CASE);
    }

    private static @Nullable Double millis(Row bare, Row row) {
        double beforeMillis = 0;
        double before = 0;
        for (int micros : ScenarioPrefetch.WAITS) {
            Double mine = row.result().figures().get("wait_" + micros);
            Double others = bare.result().figures().get("wait_" + micros);
            if (mine == null || others == null || others == 0) {
                return null;
            }
            double ratio = mine / others;
            double at = micros / 1e3;
            if (ratio >= 1) {
                return micros == 0 ? at : beforeMillis + (at - beforeMillis) * (1 - before) / (ratio - before);
            }
            beforeMillis = at;
            before = ratio;
        }
        return null;
    }

    /** With a header; only that if the scenario was not measured. */
    static List<List<String>> table(List<Row> rows) {
        List<List<String>> table = new ArrayList<>();
        table.add(List.of("peer", "faster than the bare loop from, ms of waiting per 1,000 records"));
        int last = ScenarioPrefetch.WAITS.getLast();
        ofAll(rows)
                .forEach((peer, figure) ->
                        table.add(List.of(peer, figure == null ? "not up to " + last / 1_000 + " ms" : figure.text())));
        return table;
    }
}
