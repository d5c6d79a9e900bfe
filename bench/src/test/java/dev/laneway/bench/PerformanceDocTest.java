package dev.laneway.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Keeps the figures of docs/performance.md those that were measured. */
class PerformanceDocTest {
    private static final Path DOCS = Path.of("../docs");
    private static final Pattern REPORT = Pattern.compile("\\(([\\w./-]+/report\\.md)\\)");
    /** Where the figures of the reports begin in a row; before them stand the id, the text, must and goal. */
    private static final int FIXED = 4;

    @Test
    @DisplayName("the table of docs/performance.md has, column by column, what the reports have that it names")
    void columnsAreThoseOfTheReports() throws IOException {
        String document = Files.readString(DOCS.resolve("performance.md"));
        List<String> reports = REPORT.matcher(document)
                .results()
                .map(found -> found.group(1))
                .distinct()
                .toList();
        assertThat(reports).isNotEmpty();
        for (int i = 0; i < reports.size(); i++) {
            assertThat(figures(document, FIXED + i, false))
                    .as(reports.get(i))
                    .hasSizeGreaterThan(20)
                    .isEqualTo(figures(Files.readString(DOCS.resolve(reports.get(i))), FIXED, true));
        }
    }

    /**
     * The fixed columns and one more.
     *
     * @param told whether the column behind tells what misses its must: that is in bold type in the document
     */
    private static List<String> figures(String text, int column, boolean told) {
        return text.lines()
                .filter(line -> line.matches("\\| P\\d.*"))
                .map(line -> line.substring(2).split(" ?\\| ?", -1))
                .map(cells -> {
                    boolean missed = told && cells[column + 1].equals("no");
                    String figure = missed ? "**" + cells[column] + "**" : cells[column];
                    return String.join(" | ", Arrays.copyOf(cells, FIXED)) + " | " + figure;
                })
                .toList();
    }
}
