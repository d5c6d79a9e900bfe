package dev.laneway.cli.live;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Figures of a frame as people read them, in the words of the page. What is not known is a dash. Pure functions. */
final class FigureText {
    static final String UNKNOWN = "-";
    private static final DateTimeFormatter CLOCK = DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT);
    private static final String SCALES = " kMGTPE";

    private FigureText() {}

    /**
     * A text of a frame. Client ids, hosts and failures come from others: what could move the cursor or turn the
     * direction of writing becomes a question mark.
     */
    static String text(JsonNode of, String name) {
        return harmless(of.path(name).asText(""));
    }

    static String harmless(String text) {
        StringBuilder clean = new StringBuilder(text.length());
        text.codePoints().forEach(c -> {
            int type = Character.getType(c);
            boolean isHarmful = type == Character.CONTROL
                    || type == Character.FORMAT
                    || type == Character.SURROGATE
                    || type == Character.LINE_SEPARATOR
                    || type == Character.PARAGRAPH_SEPARATOR
                    || type == Character.UNASSIGNED;
            clean.appendCodePoint(isHarmful ? (c == '\n' || c == '\t' ? ' ' : '?') : c);
        });
        return clean.toString();
    }

    static boolean isKnown(JsonNode of, String name) {
        return of.path(name).isNumber();
    }

    /** A number of records or the like, with a letter for thousands from 100,000 on. */
    static String count(JsonNode of, String name) {
        return isKnown(of, name) ? scaled(of.path(name).asDouble()) : UNKNOWN;
    }

    static String rate(JsonNode of, String name) {
        if (!isKnown(of, name)) {
            return UNKNOWN;
        }
        double value = of.path(name).asDouble();
        return Math.abs(value) < 10 && value % 1 != 0 ? format("%.1f", value) : scaled(value);
    }

    static String scaled(double value) {
        if (Math.abs(value) < 100_000) {
            return format("%,d", Math.round(value));
        }
        double left = value;
        int scale = 0;
        while (Math.abs(left) >= 999.95 && scale < SCALES.length() - 1) {
            left /= 1_000;
            scale++;
        }
        return format("%.1f", left) + SCALES.charAt(scale);
    }

    static String percent(JsonNode of, String name) {
        return isKnown(of, name) ? Math.round(100 * of.path(name).asDouble()) + " %" : UNKNOWN;
    }

    static String bytes(JsonNode of, String name) {
        return isKnown(of, name) ? format("%.1f MB", of.path(name).asDouble() / 1e6) : UNKNOWN;
    }

    static String seconds(double value) {
        if (value < 10) {
            return format("%.1f s", value);
        }
        if (value < 600) {
            return Math.round(value) + " s";
        }
        if (value < 36_000) {
            return Math.round(value / 60) + " min";
        }
        return value < 345_600 ? Math.round(value / 3_600) + " h" : Math.round(value / 86_400) + " d";
    }

    /** A time that may be short. */
    static String brief(JsonNode of, String name) {
        double value = of.path(name).asDouble();
        return value < 0.9995 ? format(value < 0.01 ? "%.1f ms" : "%.0f ms", 1_000 * value) : seconds(value);
    }

    /** For how long the first record waits, between two bounds of which the upper one may not be known. */
    static String age(JsonNode of) {
        if (!isKnown(of, "ageLow")) {
            return UNKNOWN;
        }
        double low = of.path("ageLow").asDouble();
        if (!isKnown(of, "ageHigh")) {
            return ">" + seconds(low);
        }
        double high = of.path("ageHigh").asDouble();
        return high == 0 ? "0 s" : seconds((low + high) / 2);
    }

    /** When nothing will wait any more. */
    static String clearing(JsonNode of) {
        JsonNode clears = of.path("clears");
        if (!clears.isBoolean()) {
            return UNKNOWN;
        }
        if (!clears.asBoolean()) {
            return "never";
        }
        double value = of.path("clear").asDouble();
        return value == 0 ? "now" : seconds(value);
    }

    static String clock(long millis) {
        return CLOCK.format(Instant.ofEpochMilli(millis).atZone(ZoneId.systemDefault()));
    }

    private static String format(String form, Object value) {
        return String.format(Locale.ROOT, form, value);
    }
}
