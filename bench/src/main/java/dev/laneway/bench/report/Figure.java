package dev.laneway.bench.report;

import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One number of the runs of a peer: median, least and most. Immutable. */
record Figure(double median, double min, double max) {
    /** From the good rows that have it; null if none does. */
    static @Nullable Figure of(List<Row> rows, Function<Row, @Nullable Double> number) {
        List<Double> values = rows.stream()
                .filter(Row::isOk)
                .map(number)
                .filter(Objects::nonNull)
                .sorted()
                .toList();
        if (values.isEmpty()) {
            return null;
        }
        int half = values.size() / 2;
        double median = values.size() % 2 == 1 ? values.get(half) : (values.get(half - 1) + values.get(half)) / 2;
        return new Figure(median, values.getFirst(), values.getLast());
    }

    /** "0.97 (0.74 to 1.21)", or without the range if all runs gave the same. */
    String text() {
        return min == max ? number(median) : number(median) + " (" + number(min) + " to " + number(max) + ")";
    }

    /** To about three digits. */
    static String number(double value) {
        double size = Math.abs(value);
        String format =
                size >= 1_000 ? "%,.0f" : size >= 100 ? "%.0f" : size >= 10 ? "%.1f" : size >= 0.1 ? "%.2f" : "%.3f";
        return value == 0 ? "0" : String.format(Locale.ROOT, format, value);
    }
}
