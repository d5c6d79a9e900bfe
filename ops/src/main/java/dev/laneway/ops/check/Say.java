package dev.laneway.ops.check;

import java.util.List;
import java.util.Locale;

/** Numbers for people. Stateless. */
final class Say {
    private static final int FEW = 3;

    private Say() {}

    static String percent(double share) {
        return String.format(Locale.ROOT, share != 0 && Math.abs(share) < 0.1 ? "%.1f %%" : "%.0f %%", 100 * share);
    }

    /** A count, or a rate. */
    static String number(double value) {
        return value == Math.rint(value) && Math.abs(value) < 1e15
                ? String.format(Locale.ROOT, "%,d", (long) value)
                : String.format(Locale.ROOT, Math.abs(value) < 10 ? "%.2f" : "%,.0f", value);
    }

    static String seconds(double seconds) {
        if (seconds >= 2 * 86_400) {
            return number(Math.rint(seconds / 86_400)) + " days";
        }
        if (seconds >= 2 * 3_600) {
            return number(Math.rint(seconds / 3_600)) + " h";
        }
        return seconds >= 120 ? number(Math.rint(seconds / 60)) + " min" : number(Math.rint(seconds * 10) / 10) + " s";
    }

    /** The first few, and how many more there are. */
    static String few(List<String> names) {
        String first = String.join(", ", names.subList(0, Math.min(FEW, names.size())));
        return names.size() <= FEW ? first : first + " and " + (names.size() - FEW) + " more";
    }

    static String plural(long count, String one, String many) {
        return number((double) count) + " " + (count == 1 ? one : many);
    }
}
