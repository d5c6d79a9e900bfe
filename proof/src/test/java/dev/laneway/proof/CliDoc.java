package dev.laneway.proof;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** Reads the tables of docs/cli.md. */
final class CliDoc {
    private static final Path PAGE = Path.of("..", "docs", "cli.md");
    private static final Pattern ROW = Pattern.compile("(?m)^\\| (`[a-z_0-9]+`(?:, `[a-z_0-9]+`)*) \\|");
    private static final Pattern KEY = Pattern.compile("`([a-z_0-9]+)`");

    private CliDoc() {}

    /** The JSON keys of a verb's section in their order; a row may name several. */
    static List<String> keys(String verb) throws IOException {
        String page = Files.readString(PAGE);
        int start = page.indexOf("\n## " + verb + "\n");
        int end = page.indexOf("\n## ", start + 1);
        return ROW.matcher(page.substring(start, end < 0 ? page.length() : end))
                .results()
                .flatMap(row -> KEY.matcher(row.group(1)).results())
                .map((MatchResult key) -> key.group(1))
                .distinct()
                .toList();
    }
}
