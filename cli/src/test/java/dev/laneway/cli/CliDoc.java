package dev.laneway.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the tables of docs/cli.md. */
final class CliDoc {
    private static final Pattern OPTION =
            Pattern.compile("^\\| (?:`-\\w`, )?`(--[a-z-]+)[^`]*` \\| (?:`([^`]*)`)? ?\\|.*");
    private static final Pattern KEY = Pattern.compile("^\\| `([a-z_0-9]+)` \\|.*");
    private static final Pattern HEADER = Pattern.compile("^\\| `(laneway\\.[a-z.]+)` \\|.*");

    private CliDoc() {}

    /** The options of a section with their defaults; empty where there is none. */
    static Map<String, String> options(String section) {
        Map<String, String> options = new LinkedHashMap<>();
        section(section)
                .lines()
                .map(OPTION::matcher)
                .filter(Matcher::matches)
                .forEach(row -> options.put(row.group(1), row.group(2) == null ? "" : row.group(2)));
        return options;
    }

    static Set<String> keys(String section) {
        return first(section, KEY);
    }

    static Set<String> headers(String section) {
        return first(section, HEADER);
    }

    private static Set<String> first(String section, Pattern pattern) {
        Set<String> found = new LinkedHashSet<>();
        String text = section(section);
        text.lines().map(pattern::matcher).filter(Matcher::matches).forEach(row -> found.add(row.group(1)));
        return found;
    }

    private static String section(String name) {
        String text;
        try {
            text = Files.readString(Path.of("..", "docs", "cli.md"));
        } catch (IOException missing) {
            throw new AssertionError("docs/cli.md cannot be read from the directory of the module", missing);
        }
        int start = text.indexOf("\n## " + name + "\n");
        if (start < 0) {
            throw new AssertionError("docs/cli.md has no section " + name);
        }
        int end = text.indexOf("\n## ", start + 1);
        return text.substring(start, end < 0 ? text.length() : end);
    }
}
