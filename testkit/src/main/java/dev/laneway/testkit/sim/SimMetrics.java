package dev.laneway.testkit.sim;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;

/** A few of the client's metrics, under the names that Kafka gives them. */
final class SimMetrics {
    private SimMetrics() {}

    private record Value(MetricName metricName, Object metricValue) implements Metric {}

    static Map<MetricName, Metric> of(String group, String clientId, Map<String, Long> values) {
        Map<MetricName, Metric> metrics = new LinkedHashMap<>();
        new TreeMap<>(values).forEach((name, value) -> {
            MetricName full = new MetricName(name, group, "", Map.of("client-id", clientId));
            metrics.put(full, new Value(full, (double) value));
        });
        return metrics;
    }
}
