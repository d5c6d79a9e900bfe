package dev.laneway.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.Health;
import dev.laneway.PauseReason;
import dev.laneway.State;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The table, and the page that is made from it. */
class MetricTableTest {
    private static final Path PAGE = Path.of("../docs/metrics.md");

    @Test
    @DisplayName("B153 docs/metrics.md has the table's rows, each as it is, in its order")
    void page() throws IOException {
        String page = Files.readString(PAGE);
        List<String> rows = page.lines().filter(line -> line.startsWith("| `")).toList();
        assertThat(rows)
                .as("replace the tables of docs/metrics.md by this:%n%s", String.join("\n", expected()))
                .containsExactlyElementsOf(expected());
    }

    private static List<String> expected() {
        return Stream.concat(
                        Arrays.stream(LanewayMetric.Kind.values())
                                .flatMap(kind -> Arrays.stream(LanewayMetric.values())
                                        .filter(metric -> metric.kind() == kind)
                                        .map(MetricTableTest::row)),
                        Arrays.stream(MetricTag.values()).map(MetricTableTest::row))
                .toList();
    }

    private static String row(LanewayMetric metric) {
        String tags = metric.tags().stream()
                .skip(2)
                .map(tag -> "`" + metric.key(tag) + "`")
                .collect(Collectors.joining(", "));
        return "| `%s` | `%s` | %s | %s | %s |"
                .formatted(metric.metricName(), metric.prometheusName(), metric.unit(), tags, metric.meaning());
    }

    private static String row(MetricTag tag) {
        return "| `%s` | `%s` | %s |".formatted(tag.key(), tag.exporterKey(), tag.howMany());
    }

    @Test
    @DisplayName("B81 B153 where a tag's values are an enum's, the table says how many there are")
    void howMany() {
        Map.of(
                        MetricTag.REASON,
                        PauseReason.values(),
                        MetricTag.ACTIVITY,
                        Readings.Activity.values(),
                        MetricTag.CAUSE,
                        Health.Cause.values(),
                        MetricTag.STATE,
                        State.values())
                .forEach((tag, values) ->
                        assertThat(tag.howMany()).as(tag.key()).isEqualTo(Integer.toString(values.length)));
    }

    @Test
    @DisplayName("B153 names are unique, lower case with dots, and say what they count; each has a meaning and a unit")
    void names() {
        List<String> names = Arrays.stream(LanewayMetric.values())
                .map(LanewayMetric::metricName)
                .toList();
        assertThat(names).doesNotHaveDuplicates();
        assertThat(names).allMatch(name -> name.matches("(laneway|messaging|kafka\\.consumergroup)(\\.[a-z]+)+"));
        assertThat(LanewayMetric.values()).allSatisfy(metric -> {
            assertThat(metric.meaning()).matches("[A-Z0-9].*[^.]");
            assertThat(metric.unit()).isNotBlank();
            assertThat(metric.tags())
                    .startsWith(MetricTag.CLIENT, MetricTag.GROUP)
                    .doesNotHaveDuplicates();
            assertThat(metric.buckets()).isSorted();
            assertThat(metric.buckets().isEmpty()).isEqualTo(metric.kind() != LanewayMetric.Kind.HISTOGRAM);
        });
    }
}
