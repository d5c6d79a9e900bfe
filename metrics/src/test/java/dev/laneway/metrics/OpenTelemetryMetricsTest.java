package dev.laneway.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.LanewayObserver;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.opentelemetry.sdk.metrics.data.DoublePointData;
import io.opentelemetry.sdk.metrics.data.MetricData;
import io.opentelemetry.sdk.metrics.data.MetricDataType;
import io.opentelemetry.sdk.testing.exporter.InMemoryMetricReader;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Instruments in OpenTelemetry's SDK, of a consumer that does what the test says. */
class OpenTelemetryMetricsTest {
    private static final AttributeKey<String> PARTITION = AttributeKey.stringKey("partition");
    private static final AttributeKey<String> CLIENT = AttributeKey.stringKey("messaging.client.id");

    private final InMemoryMetricReader reader = InMemoryMetricReader.create();
    private final OpenTelemetrySdk sdk = OpenTelemetrySdk.builder()
            .setMeterProvider(
                    SdkMeterProvider.builder().registerMetricReader(reader).build())
            .build();
    private final OpenTelemetryMetrics metrics = OpenTelemetryMetrics.to(sdk);
    private final FakeSubject subject = new FakeSubject("laneway");

    @AfterEach
    void close() {
        sdk.close();
    }

    private Map<String, MetricData> collected() {
        Map<String, MetricData> all = new TreeMap<>();
        reader.collectAllMetrics().forEach(data -> all.put(data.getName(), data));
        return all;
    }

    @Test
    @DisplayName("B153 OpenTelemetry has the table's instruments, all of them and no other, with its units and buckets")
    void hasTheTable() {
        MicrometerMetricsTest.live(metrics.observe(subject), subject);
        Map<String, MetricData> all = collected();
        assertThat(all.keySet())
                .containsExactlyElementsOf(Arrays.stream(LanewayMetric.values())
                        .map(LanewayMetric::metricName)
                        .sorted()
                        .toList());
        for (LanewayMetric metric : LanewayMetric.values()) {
            MetricData data = all.get(metric.metricName());
            assertThat(data.getUnit()).isEqualTo(metric.ucum());
            assertThat(data.getDescription()).isEqualTo(metric.meaning());
            if (metric.kind() == LanewayMetric.Kind.HISTOGRAM) {
                assertThat(data.getHistogramData().getPoints())
                        .isNotEmpty()
                        .allSatisfy(point -> assertThat(point.getBoundaries()).isEqualTo(metric.buckets()));
            } else {
                assertThat(data.getType() == MetricDataType.DOUBLE_GAUGE)
                        .isEqualTo(metric.kind() == LanewayMetric.Kind.GAUGE);
            }
        }
    }

    private static Set<String> partitions(Map<String, MetricData> all) {
        MetricData lag = all.get("kafka.consumergroup.group.lag");
        return lag == null
                ? Set.of()
                : lag.getDoubleGaugeData().getPoints().stream()
                        .map(point -> point.getAttributes().get(PARTITION))
                        .collect(Collectors.toSet());
    }

    @Test
    @DisplayName("B81 B154 a partition's values end with it, and counters and gauges with the consumer")
    void comeAndGo() {
        LanewayObserver observer = metrics.observe(subject);
        MicrometerMetricsTest.live(observer, subject);
        assertThat(partitions(collected())).containsExactlyInAnyOrder("0", "1", "2");
        for (int i = 0; i < 10_000; i++) {
            List<TopicPartition> one = FakeSubject.partitions(i % 7, i % 7 + 1);
            observer.assigned(one, Duration.ZERO);
            observer.revoked(one, Duration.ZERO);
        }
        assertThat(partitions(collected())).isEmpty();
        observer.ended(null);
        assertThat(collected()).doesNotContainKeys("laneway.health", "laneway.records.processed", "laneway.lanes");
    }

    @Test
    @DisplayName("B58 B154 two consumers of one name have attributes of their own")
    void twoOfOneName() {
        LanewayObserver one = metrics.observe(subject);
        LanewayObserver other = metrics.observe(new FakeSubject("laneway"));
        assertThat(clients()).containsExactlyInAnyOrder("laneway", "laneway-2");
        one.ended(null);
        assertThat(clients()).containsExactly("laneway-2");
        other.ended(null);
        assertThat(collected()).doesNotContainKey("laneway.health");
    }

    private Set<String> clients() {
        return collected().get("laneway.health").getDoubleGaugeData().getPoints().stream()
                .map(DoublePointData::getAttributes)
                .map(attributes -> attributes.get(CLIENT))
                .collect(Collectors.toSet());
    }
}
