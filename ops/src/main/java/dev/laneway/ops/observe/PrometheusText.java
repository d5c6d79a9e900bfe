package dev.laneway.ops.observe;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads Prometheus' text format (0.0.4 and 1.0.0, with quoted names) and OpenMetrics'. Comments, timestamps and
 * exemplars are passed over; a line that is none of these formats' is left out and counted.
 */
final class PrometheusText {
    /** One line: a name with its labels, and a value. */
    record Line(String name, Map<String, String> labels, double value) {}

    /**
     * What a text told.
     *
     * @param broken the first line that is none of the format's; null if all are
     */
    record Parsed(List<Line> lines, @Nullable String broken) {}

    private final String line;
    private int at;

    private PrometheusText(String line) {
        this.line = line;
    }

    static Parsed parse(String text) {
        List<Line> lines = new ArrayList<>();
        String broken = null;
        int start = 0;
        while (start < text.length()) { // Only a line feed ends a line: others may be in a label.
            int end = text.indexOf('\n', start);
            end = end < 0 ? text.length() : end;
            String line = text.substring(start, end).strip();
            start = end + 1;
            if (line.isEmpty() || line.startsWith("#")) {
                continue;
            }
            Line parsed = new PrometheusText(line).parseLine();
            if (parsed != null) {
                lines.add(parsed);
            } else if (broken == null) {
                broken = line;
            }
        }
        return new Parsed(lines, broken);
    }

    private @Nullable Line parseLine() {
        Map<String, String> labels = new LinkedHashMap<>();
        String name = word();
        skipBlanks();
        if (next('{')) {
            String quoted = labels(labels);
            if (quoted == null) {
                return null;
            }
            name = name.isEmpty() ? quoted : name;
            skipBlanks();
        }
        Double value = name.isEmpty() ? null : value();
        return value == null ? null : new Line(name, labels, value);
    }

    /** Up to the closing brace. Returns a name that stands among them in quotes, or an empty one; null if broken. */
    private @Nullable String labels(Map<String, String> into) {
        String name = "";
        while (true) {
            skipBlanks();
            if (next('}')) {
                return name;
            }
            boolean inQuotes = at < line.length() && line.charAt(at) == '"';
            String key = inQuotes ? quoted() : word();
            if (key == null || key.isEmpty()) {
                return null;
            }
            skipBlanks();
            if (next('=')) {
                skipBlanks();
                String value = quoted();
                if (value == null) {
                    return null;
                }
                into.put(key, value);
            } else if (inQuotes && name.isEmpty()) {
                name = key;
            } else {
                return null;
            }
            skipBlanks();
            if (!next(',') && (at >= line.length() || line.charAt(at) != '}')) {
                return null;
            }
        }
    }

    private String word() {
        int start = at;
        while (at < line.length() && isOfName(line.charAt(at))) {
            at++;
        }
        return line.substring(start, at);
    }

    private static boolean isOfName(char c) {
        return isBetween('a', c, 'z') || isBetween('A', c, 'Z') || isBetween('0', c, '9') || c == '_' || c == ':';
    }

    private static boolean isBetween(char first, char c, char last) {
        return first <= c && c <= last;
    }

    /** A text in quotes, with the escapes of a quote, a backslash and a line feed; null if there is none. */
    private @Nullable String quoted() {
        if (!next('"')) {
            return null;
        }
        StringBuilder text = new StringBuilder();
        while (at < line.length()) {
            char c = line.charAt(at++);
            if (c == '"') {
                return text.toString();
            }
            if (c == '\\' && at < line.length()) {
                char escaped = line.charAt(at++);
                switch (escaped) {
                    case 'n' -> text.append('\n');
                    case '"', '\\' -> text.append(escaped);
                    default -> text.append(c).append(escaped);
                }
            } else {
                text.append(c);
            }
        }
        return null;
    }

    private @Nullable Double value() {
        int end = at;
        while (end < line.length() && !isBlank(line.charAt(end))) {
            end++;
        }
        String word = line.substring(at, end);
        return switch (word) {
            case "+Inf", "Inf", "+inf", "inf" -> Double.POSITIVE_INFINITY;
            case "-Inf", "-inf" -> Double.NEGATIVE_INFINITY;
            case "NaN", "nan", "Nan" -> Double.NaN;
            default -> number(word);
        };
    }

    private static @Nullable Double number(String word) {
        if (word.isEmpty() || "+-.0123456789".indexOf(word.charAt(0)) < 0) {
            return null;
        }
        try {
            return Double.valueOf(word);
        } catch (NumberFormatException none) {
            return null;
        }
    }

    private boolean next(char c) {
        if (at < line.length() && line.charAt(at) == c) {
            at++;
            return true;
        }
        return false;
    }

    private void skipBlanks() {
        while (at < line.length() && isBlank(line.charAt(at))) {
            at++;
        }
    }

    private static boolean isBlank(char c) {
        return c == ' ' || c == '\t';
    }
}
