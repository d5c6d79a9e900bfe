package dev.laneway.ops.plan;

import java.util.Locale;

/** Figures in words, the same in every language of the machine. */
final class Say {
    private Say() {}

    /** A count or rate with commas; small ones that are not whole with two digits. */
    static String number(double value) {
        boolean isWhole = value == Math.rint(value) || Math.abs(value) >= 100;
        return isWhole ? String.format(Locale.ROOT, "%,.0f", value) : trim(String.format(Locale.ROOT, "%.2f", value));
    }

    static String percent(double share) {
        return trim(String.format(Locale.ROOT, "%.1f", 100 * share)) + " %";
    }

    static String count(double number, String noun) {
        return number(number) + " " + noun + (number == 1 ? "" : "s");
    }

    /** Bytes as disks and networks count them: 10^6 to a megabyte. */
    static String bytes(double bytes) {
        String[] units = {"B", "kB", "MB", "GB", "TB"};
        int unit = 0;
        double value = bytes;
        while (Math.abs(value) >= 1_000 && unit < units.length - 1) {
            value /= 1_000;
            unit++;
        }
        return trim(String.format(Locale.ROOT, "%.1f", value)) + " " + units[unit];
    }

    /** A time in the largest unit of which there are at least two. */
    static String time(double seconds) {
        if (Double.isInfinite(seconds)) {
            return "for ever";
        }
        if (seconds >= 172_800) {
            return trim(String.format(Locale.ROOT, "%.1f", seconds / 86_400)) + " days";
        }
        if (seconds >= 7_200) {
            return trim(String.format(Locale.ROOT, "%.1f", seconds / 3_600)) + " h";
        }
        if (seconds >= 120) {
            return trim(String.format(Locale.ROOT, "%.1f", seconds / 60)) + " min";
        }
        return seconds >= 1 || seconds == 0
                ? trim(String.format(Locale.ROOT, "%.1f", seconds)) + " s"
                : trim(String.format(Locale.ROOT, "%.3f", seconds * 1_000)) + " ms";
    }

    private static String trim(String number) {
        return number.contains(".") ? number.replaceAll("\\.?0+$", "") : number;
    }
}
