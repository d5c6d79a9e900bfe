package dev.laneway.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.LanewayObserver;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What Prometheus reads of a registry of Micrometer's. */
class PrometheusTest {
    private static final Pattern TYPE = Pattern.compile("# TYPE (\\w+) (\\w+)");

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final FakeSubject subject = new FakeSubject("laneway");

    private String scrape() {
        LanewayObserver observer =
                MicrometerMetrics.to(registry).withoutClientMetrics().observe(subject);
        MicrometerMetricsTest.live(observer, subject);
        return registry.scrape();
    }

    @Test
    @DisplayName("B153 B155 the names and types that Prometheus reads are those of the table")
    void namesAndTypes() {
        Map<String, String> types = new TreeMap<>();
        TYPE.matcher(scrape()).results().forEach(found -> types.put(found.group(1), found.group(2)));
        types.keySet().removeIf(name -> name.endsWith("_max")); // Micrometer's own, beside each histogram.
        Map<String, String> table = Arrays.stream(LanewayMetric.values())
                .collect(Collectors.toMap(
                        LanewayMetric::prometheusName,
                        metric -> switch (metric.kind()) {
                            case COUNTER -> "counter";
                            case GAUGE -> "gauge";
                            case HISTOGRAM -> "histogram";
                        },
                        (one, other) -> one,
                        TreeMap::new));
        assertThat(types).isEqualTo(table);
    }

    @Test
    @DisplayName("B155 promtool finds nothing to complain of")
    void promtool(@TempDir Path folder) throws Exception {
        Path text = Files.writeString(folder.resolve("metrics"), scrape());
        String said = Promtool.run(text, "check", "metrics").said();
        List<String> complaints = said.lines()
                // Names of OpenTelemetry's and of kafka-lag-exporter's, which are not ours to change.
                .filter(line -> !line.startsWith("messaging_") && !line.startsWith("kafka_consumergroup_"))
                .filter(line -> !line.contains("_max "))
                .toList();
        assertThat(complaints).isEmpty();
    }
}
