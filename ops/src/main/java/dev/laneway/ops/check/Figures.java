package dev.laneway.ops.check;

import dev.laneway.ops.observe.Series;
import java.util.List;
import java.util.Locale;

/** Numbers in words, the same in every language of the machine. Stateless. */
final class Figures {
    private static final int FEW = 3;

    private Figures() {}

    /** A share as percent. */
    static String percent(double share) {
        return trim(String.format(Locale.ROOT, "%.1f", share * 100)) + "%";
    }

    /** A count or a rate, as exact as it is of use: two places below 10, one below 1,000. */
    static String number(double value) {
        double size = Math.abs(value);
        return trim(String.format(Locale.ROOT, size < 10 ? "%.2f" : size < 1_000 ? "%.1f" : "%,.0f", value));
    }

    /** Bytes in the largest unit of which there is at least one. */
    static String bytes(double bytes) {
        String[] units = {"B", "KiB", "MiB", "GiB", "TiB"};
        int unit = 0;
        double value = bytes;
        while (Math.abs(value) >= 1024 && unit < units.length - 1) {
            value /= 1024;
            unit++;
        }
        return trim(String.format(Locale.ROOT, "%.1f", value)) + " " + units[unit];
    }

    /** A time in the largest unit of which there are at least two. */
    static String time(double seconds) {
        if (seconds >= 2 * 86_400) {
            return trim(String.format(Locale.ROOT, "%.1f", seconds / 86_400)) + " days";
        }
        if (seconds >= 2 * 3_600) {
            return trim(String.format(Locale.ROOT, "%.1f", seconds / 3_600)) + " h";
        }
        return seconds >= 120
                ? trim(String.format(Locale.ROOT, "%.1f", seconds / 60)) + " min"
                : trim(String.format(Locale.ROOT, "%.1f", seconds)) + " s";
    }

    /** A number with its noun: {@code 1 store}, {@code 2 stores}. */
    static String count(double number, String noun) {
        return plural(number, noun, noun + "s");
    }

    /** A number with what follows it: {@code 1 record waits}, {@code 2 records wait}. */
    static String plural(double number, String one, String many) {
        return number(number) + " " + (number == 1 ? one : many);
    }

    /** The first few, and how many more there are. */
    static String few(List<String> names) {
        String first = String.join(", ", names.subList(0, Math.min(FEW, names.size())));
        return names.size() <= FEW ? first : first + " and " + (names.size() - FEW) + " more";
    }

    /** A line of evidence: who told it, the metric, its latest value. */
    static String last(Series series) {
        return series.source() + ": " + series.metric() + " = " + number(series.last());
    }

    /** A line of evidence: how much a counter grew. */
    static String growth(Series series) {
        return series.source() + ": " + series.metric() + " grew by " + number(series.growth()) + " in "
                + time(series.seconds());
    }

    private static String trim(String number) {
        return number.contains(".") ? number.replaceAll("\\.?0+$", "") : number;
    }
}
