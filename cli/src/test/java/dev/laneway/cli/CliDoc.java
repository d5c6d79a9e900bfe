package dev.laneway.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Reads the tables of docs/cli.md. */
final class CliDoc {
    private static final Path DOCS = Path.of("..", "docs");
    private static final Pattern KEYS = Pattern.compile("^\\| (`[a-z_0-9]+`(?:, `[a-z_0-9]+`)*) \\|.*");
    private static final Pattern HEADER = Pattern.compile("^\\| (`laneway\\.[a-z.]+`) \\|.*");
    private static final Pattern OPTION = Pattern.compile("--[a-z][a-z-]*");

    private CliDoc() {}

    /** The options that the page names, wherever it does. */
    static Set<String> options() {
        return options(page());
    }

    /** The options that the texts of docs/help name, of all verbs. */
    static Set<String> optionsOfHelp() {
        try (Stream<Path> texts = Files.list(DOCS.resolve("help"))) {
            Set<String> options = new TreeSet<>();
            for (Path text : texts.filter(Files::isRegularFile).toList()) {
                options.addAll(options(Files.readString(text)));
            }
            return options;
        } catch (IOException missing) {
            throw new AssertionError("docs/help cannot be read from the directory of the module", missing);
        }
    }

    private static Set<String> options(String text) {
        return OPTION.matcher(text).results().map(MatchResult::group).collect(Collectors.toSet());
    }

    /** The JSON keys of a section in their order; a row may name several. */
    static Set<String> keys(String section) {
        return first(section, KEYS);
    }

    static Set<String> headers(String section) {
        return first(section, HEADER);
    }

    private static Set<String> first(String section, Pattern pattern) {
        Set<String> found = new LinkedHashSet<>();
        String text = section(section);
        text.lines()
                .map(pattern::matcher)
                .filter(Matcher::matches)
                .flatMap(row -> Stream.of(row.group(1).split(", ", -1)))
                .forEach(name -> found.add(name.replace("`", "")));
        return found;
    }

    private static String section(String name) {
        String text = page();
        int start = text.indexOf("\n## " + name + "\n");
        if (start < 0) {
            throw new AssertionError("docs/cli.md has no section " + name);
        }
        int end = text.indexOf("\n## ", start + 1);
        return text.substring(start, end < 0 ? text.length() : end);
    }

    private static String page() {
        try {
            return Files.readString(DOCS.resolve("cli.md"));
        } catch (IOException missing) {
            throw new AssertionError("docs/cli.md cannot be read from the directory of the module", missing);
        }
    }
}
