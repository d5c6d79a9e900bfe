package dev.laneway.cli.workload;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.cli.program.Terminal;
import java.time.Duration;
import java.util.List;
import java.util.SortedMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class PictureTest {
    private static final String TITLE = "Laneway, key order, 1,000 at once, 10 ms of work each";

    @Test
    @DisplayName("At 80 columns: bar and counts in one line, figures, the lag of each partition")
    void fits80Columns() {
        assertThat(picture(620_113, 1_000_000, 4).lines(80, ascii(80)))
                .containsExactly(
                        "Laneway, key order, 1,000 at once, 10 ms of work each",
                        "################################-------------------  62 %   620,113 of 1,000,000",
                        "98,734 records/s   1,000 in flight   20,000 held   6 s gone   4 s to go",
                        "lag 100,000 by partition",
                        "0 ##------ 10,000   1 ####---- 20,000   2 ######-- 30,000   3 ######## 40,000");
    }

    @Test
    @DisplayName("At 40 columns: the same, in shorter lines")
    void fits40Columns() {
        assertThat(picture(620_113, 1_000_000, 4).lines(40, ascii(40)))
                .containsExactly(
                        "Laneway, key order, 1,000 at once, 10...",
                        "#####################-------------  62 %",
                        "620,113 of 1,000,000",
                        "98,734 records/s   1,000 in flight",
                        "20,000 held   6 s gone   4 s to go",
                        "lag 100,000 by partition",
                        "0 ##------ 10,000   1 ####---- 20,000",
                        "2 ######-- 30,000   3 ######## 40,000");
    }

    @Test
    @DisplayName("Without a terminal: one line that says it all")
    void isOneLineWithoutTerminal() {
        assertThat(picture(620_113, 1_000_000, 4).line())
                .isEqualTo(TITLE + ": 620,113 of 1,000,000 (62 %), 98,734 records/s, 1,000 in flight, 20,000 held, "
                        + "6 s gone, 4 s to go, lag 100,000 (most: 3 with 40,000)");
    }

    @Test
    @DisplayName("With colours the text is the same")
    void coloursChangeNoText() {
        Terminal colourful = new Terminal(true, true, false, 80);
        List<String> plain = picture(10, 20, 4).lines(80, ascii(80));
        List<String> coloured = picture(10, 20, 4).lines(80, colourful);
        assertThat(coloured).isNotEqualTo(plain);
        assertThat(coloured.stream().map(PictureTest::withoutColours)).containsExactlyElementsOf(plain);
    }

    @Test
    @DisplayName("More partitions than there is room for: those that lag most are shown")
    void showsTheWorstPartitions() {
        List<String> lines = picture(1, 2, 500).lines(80, ascii(80));
        assertThat(lines)
                .hasSizeLessThanOrEqualTo(10)
                .anyMatch(line -> line.contains("in 500 partitions, the 18 largest"));
        assertThat(String.join("\n", lines)).contains("499 ######## 5,000,000").doesNotContain(" 100 ");
    }

    @Test
    @DisplayName("Partitions stand in the order of their numbers")
    void ordersPartitions() {
        assertThat(picture(1, 2, 12).progress().lag().keySet())
                .containsExactly("0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11");
    }

    @Test
    @DisplayName("Without an end there is no bar and no time to go")
    void hasNoBarWithoutEnd() {
        Picture picture = new Picture("Loading a", Progress.of(1_234, Loader.ENDLESS), 50, Duration.ofSeconds(61));
        assertThat(picture.lines(80, ascii(80)))
                .containsExactly("Loading a", "1,234 records   50.0 records/s   1 min 1 s gone");
        assertThat(picture.line()).isEqualTo("Loading a: 1,234 records, 50.0 records/s, 1 min 1 s gone");
    }

    @Test
    @DisplayName("Where a topic was deleted less is done than before, and no rate is below zero")
    void hasNoRateBelowZero() {
        Picture picture = new Picture("chaos", Progress.of(1_234, Loader.ENDLESS), -665.5, Duration.ofSeconds(61));
        assertThat(picture.line()).isEqualTo("chaos: 1,234 records, 0.0 records/s, 1 min 1 s gone");
    }

    @Property(tries = 300)
    void noLineIsWiderThanTheTerminal(
            @ForAll @IntRange(min = Terminal.LEAST_WIDTH, max = 250) int width,
            @ForAll @IntRange(min = 0, max = 300) int partitions,
            @ForAll @LongRange(min = 0, max = 1_000_000_000_000L) long done,
            @ForAll @LongRange(min = 0, max = 1_000_000_000_000L) long total) {
        assertThat(picture(done, total, partitions).lines(width, new Terminal(true, true, true, width)))
                .allSatisfy(line -> assertThat(withoutColours(line)).hasSizeLessThanOrEqualTo(width));
    }

    private static Terminal ascii(int width) {
        return new Terminal(true, false, false, width);
    }

    private static String withoutColours(String line) {
        return line.replaceAll("\u001b\\[[0-9;]*m", "");
    }

    private static Picture picture(long done, long total, int partitions) {
        SortedMap<String, Long> lag = Progress.emptyLag();
        for (int partition = 0; partition < partitions; partition++) {
            lag.put(Integer.toString(partition), 10_000L * (partition + 1));
        }
        return new Picture(TITLE, new Progress(done, total, 1_000, 20_000, lag), 98_734, Duration.ofSeconds(6));
    }
}
