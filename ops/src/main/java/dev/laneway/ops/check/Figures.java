package dev.laneway.ops.check;

import dev.laneway.ops.observe.Series;
import java.util.Locale;

/** Numbers in words, the same in every language of the machine. */
final class Figures {
    private Figures() {}

    /** A share as percent. */
    static String percent(double share) {
        return trim(String.format(Locale.ROOT, "%.1f", share * 100)) + "%";
    }

    /** A number with at most two places. */
    static String number(double value) {
        return trim(String.format(Locale.ROOT, "%.2f", value));
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
        return number(number) + " " + noun + (number == 1 ? "" : "s");
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
