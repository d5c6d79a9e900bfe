package dev.laneway.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.laneway.dashboard.Frame.Hold;
import dev.laneway.dashboard.Frame.Row;
import dev.laneway.dashboard.Frame.Totals;
import dev.laneway.ops.check.CheckResult.Outcome;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class HistoryTest {
    private static final Totals NOTHING =
            new Totals(null, null, null, null, null, null, null, null, null, null, null, null, null);

    private static Row row(String id, long lag, Hold hold) {
        return new Row(
                id, lag, null, null, null, hold, "", null, null, null, null, null, null, null, null, null, false);
    }

    private static Frame frame(long atMillis, Outcome outcome, Map<String, Long> counters, List<Row> rows) {
        return new Frame(
                atMillis,
                "RUNNING",
                Verdict.of(outcome, outcome + ".", ""),
                NOTHING,
                counters,
                rows,
                List.of(),
                List.of(),
                Frame.Details.NONE);
    }

    private static JsonNode json(History history) throws IOException {
        return new ObjectMapper().readTree(PageJson.bytes(history.json()));
    }

    @Test
    @DisplayName("B159 The history keeps minutes and forgets partitions that left, however long the page is served")
    void bounded() throws IOException {
        History history = new History();
        for (int second = 1; second <= 1_000; second++) {
            String left = "left-" + second;
            history.add(frame(
                    1_000L * second,
                    Outcome.HEALTHY,
                    Map.of(),
                    List.of(row("stays-0", second, Hold.NOTHING), row(left, 1, Hold.STUCK))));
        }
        JsonNode json = json(history);
        assertThat(json.get("totals")).hasSize(History.SECONDS);
        assertThat(json.get("heat")).hasSize(1 + History.COLUMNS);
        JsonNode lags = json.get("heat").get("stays-0").get(0);
        assertThat(lags).hasSize(History.COLUMNS);
        assertThat(lags.get(0).asLong()).isEqualTo(1_000 - History.COLUMNS + 1);
        assertThat(lags.get(History.COLUMNS - 1).asLong()).isEqualTo(1_000);
        JsonNode gone = json.get("heat").get("left-990");
        assertThat(gone.get(0).get(History.COLUMNS - 11).asLong()).isEqualTo(1);
        assertThat(gone.get(0).get(History.COLUMNS - 10).isNull()).isTrue();
        assertThat(gone.get(1).get(History.COLUMNS - 1).asInt()).isZero();
    }

    @Test
    @DisplayName("B159 Of more partitions than anybody can see, those with the most lag are kept")
    void manyPartitions() throws IOException {
        History history = new History();
        List<Row> rows = IntStream.range(0, 3 * History.ROWS)
                .mapToObj(number -> row("p-" + number, number, Hold.NOTHING))
                .toList();
        history.add(frame(1, Outcome.HEALTHY, Map.of(), rows));
        JsonNode heat = json(history).get("heat");
        assertThat(heat).hasSize(History.ROWS);
        assertThat(heat.has("p-" + (3 * History.ROWS - 1))).isTrue();
        assertThat(heat.has("p-0")).isFalse();
    }

    @Test
    @DisplayName("B156 The timeline has a line for each change of the verdict, and one sum for what goes on")
    void timeline() {
        Timeline timeline = new Timeline();
        for (int second = 0; second < 500; second++) {
            timeline.add(frame(
                    1_000L * second,
                    second == 250 ? Outcome.LIMITED : Outcome.HEALTHY,
                    Map.of("failedAttempts", 3L * second, "rebalances", second < 100 ? 1L : 2L),
                    List.of()));
        }
        List<Timeline.Entry> entries = timeline.entries();
        assertThat(entries).hasSizeLessThanOrEqualTo(100);
        assertThat(entries)
                .filteredOn(entry -> entry.kind().equals("verdict"))
                .extracting(Timeline.Entry::text)
                .containsExactly("HEALTHY.", "LIMITED.", "HEALTHY.");
        assertThat(entries)
                .filteredOn(entry -> entry.text().equals("1 rebalance"))
                .hasSize(1);
        assertThat(entries)
                .filteredOn(entry -> entry.kind().equals("failure"))
                .first()
                .extracting(Timeline.Entry::text)
                .isEqualTo("30 failed attempts");
    }
}
