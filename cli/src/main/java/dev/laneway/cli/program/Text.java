package dev.laneway.cli.program;

import java.time.Duration;
import java.util.Locale;

/** How numbers and durations are written for people. */
public final class Text {
    private Text() {}

    /** With commas. */
    public static String count(long value) {
        return String.format(Locale.ROOT, "%,d", value);
    }

    /** Records per second: whole above 1,000, with one decimal below. */
    public static String rate(double perSecond) {
        return perSecond < 1_000 ? String.format(Locale.ROOT, "%.1f", perSecond) : count(Math.round(perSecond));
    }

    public static String percent(double share) {
        return String.format(Locale.ROOT, "%.1f %%", 100 * share);
    }

    public static String bytes(long bytes) {
        return count(Math.round(bytes / 1e6)) + " MB";
    }

    /** The two largest units that matter: 2 min 5 s, 12 s, 10 ms, 500 us. */
    public static String duration(Duration duration) {
        long seconds = duration.toSeconds();
        if (seconds >= 3_600) {
            return seconds / 3_600 + " h " + seconds % 3_600 / 60 + " min";
        }
        if (seconds >= 60) {
            return seconds / 60 + " min " + seconds % 60 + " s";
        }
        long micros = duration.toNanos() / 1_000;
        if (micros >= 10_000_000) {
            return Math.round(micros / 1e6) + " s";
        }
        if (micros >= 1_000_000) {
            String tenths = String.format(Locale.ROOT, "%.1f", micros / 1e6);
            return (tenths.endsWith(".0") ? tenths.substring(0, tenths.length() - 2) : tenths) + " s";
        }
        return micros >= 1_000 || micros == 0 ? Math.round(micros / 1e3) + " ms" : micros + " us";
    }
}
