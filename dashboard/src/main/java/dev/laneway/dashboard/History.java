package dev.laneway.dashboard;

import dev.laneway.dashboard.Frame.Row;
import dev.laneway.ops.LagAge;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The latest minutes, for those who open the page now: its memory is bounded, whatever was seen. Used by one thread.
 */
final class History {
    /** Seconds of the charts. */
    static final int SECONDS = 300;
    /** Columns of the heat map. */
    static final int COLUMNS = 120;
    /** Partitions of the heat map, those with the most lag: more cannot be seen. */
    static final int ROWS = 2_000;

    private final List<@Nullable Double[]> totals = new ArrayList<>();
    private final Map<String, Strip> strips = new HashMap<>();
    private int column;

    /** The latest lags of one partition. */
    private static final class Strip {
        final @Nullable Long[] lags = new Long[COLUMNS];
        final byte[] holds = new byte[COLUMNS];
        int seen;
    }

    /** Adds what was seen now. */
    void add(Frame frame) {
        if (totals.size() == SECONDS) {
            totals.removeFirst();
        }
        totals.add(point(frame));
        column++;
        List<Row> rows = frame.partitions();
        if (rows.size() > ROWS) {
            rows = rows.stream()
                    .sorted(Comparator.comparingLong((Row row) -> row.lag() == null ? 0 : row.lag())
                            .reversed())
                    .limit(ROWS)
                    .toList();
        }
        for (Row row : rows) {
            Strip strip = strips.computeIfAbsent(row.id(), _ -> new Strip());
            clear(strip);
            strip.lags[column % COLUMNS] = row.lag();
            strip.holds[column % COLUMNS] = (byte) row.hold().code();
            strip.seen = column;
        }
        strips.values().removeIf(strip -> column - strip.seen >= COLUMNS);
        while (strips.size() > 2 * ROWS) {
            strips.values().stream()
                    .min(Comparator.comparingInt(strip -> strip.seen))
                    .ifPresent(strips.values()::remove);
        }
    }

    private void clear(Strip strip) {
        for (int at = Math.max(strip.seen + 1, column - COLUMNS + 1); at <= column; at++) {
            strip.lags[at % COLUMNS] = null;
            strip.holds[at % COLUMNS] = 0;
        }
    }

    /** What one point of all charts is made of, in the order that the page knows. */
    static @Nullable Double[] point(Frame frame) {
        Frame.Totals of = frame.totals();
        LagAge age = of.age();
        return new @Nullable Double[] {
            frame.atMillis() / 1e3,
            of.done(),
            of.appended(),
            of.lag() == null ? null : (Double) of.lag().doubleValue(),
            age == null ? null : (Double) age.seconds(),
            of.busy(),
            of.waiting() == null || of.busy() == null ? null : (Double) (of.busy() * of.waiting()),
            of.running() == null ? null : (Double) of.running().doubleValue()
        };
    }

    /** All of it, for the page. */
    Map<String, Object> json() {
        Map<String, Object> heat = new LinkedHashMap<>();
        strips.keySet().stream().sorted().forEach(id -> {
            Strip strip = strips.get(id);
            if (strip == null) {
                return;
            }
            clear(strip);
            List<@Nullable Long> lags = new ArrayList<>();
            List<Integer> holds = new ArrayList<>();
            for (int at = Math.max(1, column - COLUMNS + 1); at <= column; at++) {
                boolean known = at <= strip.seen;
                lags.add(known ? strip.lags[at % COLUMNS] : null);
                holds.add(known ? (int) strip.holds[at % COLUMNS] : 0);
            }
            heat.put(id, List.of(lags, holds));
        });
        return Map.of("totals", List.copyOf(totals), "heat", heat);
    }
}
