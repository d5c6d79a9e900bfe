package dev.laneway.build;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Rules about the sources that no compiler checks. Each finding says where, what and the remedy. */
final class SourceRules {
    static final int MAX_LINES = 450;
    static final int MAX_COLUMNS = 120;

    private static final Pattern CLOCK = Pattern.compile("System\\.(nanoTime|currentTimeMillis)\\(|Instant\\.now\\("
            + "|Clock\\.system|Thread\\.sleep\\(|new Random\\(|ThreadLocalRandom|Math\\.random\\(");
    private static final Pattern SLEEP = Pattern.compile("Thread\\.sleep\\(|TimeUnit\\.\\w+\\.sleep\\(");
    private static final Pattern OPEN_END = Pattern.compile("\\b(TODO|FIXME|XXX)\\b|@Disabled\\b");

    private SourceRules() {}

    /** Lines and columns, for every source. */
    static List<String> size(Path file, String text) {
        var findings = new ArrayList<String>();
        List<String> lines = text.lines().toList();
        if (lines.size() > MAX_LINES) {
            findings.add(file + ": " + lines.size() + " lines, at most " + MAX_LINES
                    + "; cut it where a second idea begins");
        }
        for (int i = 0; i < lines.size(); i++) {
            int columns = lines.get(i).length();
            if (columns > MAX_COLUMNS) {
                findings.add(at(file, i) + columns + " columns, at most " + MAX_COLUMNS + "; break the line");
            }
        }
        return findings;
    }

    /** Work left open. */
    static List<String> openEnds(Path file, String text) {
        return matches(file, text, OPEN_END, "is work left open; finish it or remove it");
    }

    /** Reads of time, sleeps and randomness: in production code they are injected. */
    static List<String> clocks(Path file, String text) {
        return matches(file, text, CLOCK, "belongs in the one file that reads time; take the injected clock");
    }

    /** Sleeps in tests. */
    static List<String> sleeps(Path file, String text) {
        return matches(file, text, SLEEP, "waits by sleeping; use Awaitility or the simulated clock");
    }

    private static List<String> matches(Path file, String text, Pattern pattern, String remedy) {
        var findings = new ArrayList<String>();
        List<String> lines = text.lines().toList();
        for (int i = 0; i < lines.size(); i++) {
            var matcher = pattern.matcher(lines.get(i));
            if (matcher.find()) {
                findings.add(at(file, i) + "'" + matcher.group() + "' " + remedy);
            }
        }
        return findings;
    }

    private static String at(Path file, int line) {
        return file + ":" + (line + 1) + ": ";
    }
}
