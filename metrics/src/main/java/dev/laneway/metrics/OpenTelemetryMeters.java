package dev.laneway.metrics;

import dev.laneway.Health;
import dev.laneway.PauseReason;
import dev.laneway.State;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.metrics.DoubleHistogram;
import io.opentelemetry.api.metrics.LongCounter;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.api.metrics.ObservableDoubleMeasurement;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.apache.kafka.common.TopicPartition;

/**
 * One consumer's instruments in OpenTelemetry. Counters and gauges are asked for by the SDK when it collects, so that a
 * partition's values end with it. Thread-safe.
 */
final class OpenTelemetryMeters implements Meters {
    /** The attributes of a value that is added again and again. */
    private record Key(LanewayMetric metric, List<String> tagValues) {}

    private final String client;
    private final String group;
    private final Readings readings;
    private final Runnable closing;
    private final Map<LanewayMetric, DoubleHistogram> histograms = new EnumMap<>(LanewayMetric.class);
    private final Map<LanewayMetric, LongCounter> counters = new EnumMap<>(LanewayMetric.class);
    private final List<AutoCloseable> asked = new ArrayList<>();
    private final Set<TopicPartition> partitions = ConcurrentHashMap.newKeySet();
    private final ConcurrentMap<Key, Attributes> attributes = new ConcurrentHashMap<>();
    private volatile boolean closed;

    OpenTelemetryMeters(Meter meter, String client, String group, Readings readings, Runnable closing) {
        this.client = client;
        this.group = group;
        this.readings = readings;
        this.closing = closing;
        for (LanewayMetric metric : LanewayMetric.values()) {
            switch (metric.kind()) {
                case COUNTER -> {
                    if (metric == LanewayMetric.CONSUMED || metric == LanewayMetric.TRANSACTIONS) {
                        counters.put(
                                metric,
                                meter.counterBuilder(metric.metricName())
                                        .setUnit(metric.ucum())
                                        .setDescription(metric.meaning())
                                        .build());
                    } else {
                        asked.add(meter.counterBuilder(metric.metricName())
                                .ofDoubles()
                                .setUnit(metric.ucum())
                                .setDescription(metric.meaning())
                                .buildWithCallback(measured -> measured.record(readings.value(metric), of(metric))));
                    }
                }
                case GAUGE ->
                    asked.add(meter.gaugeBuilder(metric.metricName())
                            .setUnit(metric.ucum())
                            .setDescription(metric.meaning())
                            .buildWithCallback(measured -> gauge(metric, measured)));
                case HISTOGRAM ->
                    histograms.put(
                            metric,
                            meter.histogramBuilder(metric.metricName())
                                    .setUnit(metric.ucum())
                                    .setDescription(metric.meaning())
                                    .setExplicitBucketBoundariesAdvice(metric.buckets())
                                    .build());
            }
        }
    }

    private void gauge(LanewayMetric metric, ObservableDoubleMeasurement measured) {
        if (metric.isOfPartition()) {
            for (TopicPartition id : partitions) {
                readings.value(metric, id)
                        .ifPresent(value ->
                                measured.record(value, of(metric, id.topic(), Integer.toString(id.partition()))));
            }
            return;
        }
        switch (metric) {
            case PAUSED -> {
                for (PauseReason reason : PauseReason.values()) {
                    measured.record(readings.paused(reason), of(metric, lower(reason)));
                }
            }
            case HEALTH_CAUSE -> {
                for (Health.Cause cause : Health.Cause.values()) {
                    measured.record(readings.isNamed(cause), of(metric, Readings.verdict(cause)));
                }
            }
            case STATE_IS -> {
                for (State state : State.values()) {
                    measured.record(readings.isIn(state), of(metric, lower(state)));
                }
            }
            case UTILISATION -> {
                for (Readings.Activity activity : Readings.Activity.values()) {
                    measured.record(readings.share(activity), of(metric, lower(activity)));
                }
            }
            default -> measured.record(readings.value(metric), of(metric));
        }
    }

    private static String lower(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    private Attributes of(LanewayMetric metric, String... tagValues) {
        AttributesBuilder all = Attributes.builder();
        List<MetricTag> tags = metric.tags();
        for (int i = 0; i < tags.size(); i++) {
            String value = i == 0 ? client : i == 1 ? group : tagValues[i - 2];
            boolean isNothing = value.isEmpty() || (tags.get(i) == MetricTag.ERROR && value.equals("none"));
            if (!isNothing) {
                all.put(AttributeKey.stringKey(metric.key(tags.get(i))), value);
            }
        }
        metric.constantTags().forEach((key, value) -> all.put(AttributeKey.stringKey(key), value));
        return all.build();
    }

    @Override
    public void record(LanewayMetric histogram, double value, String... tagValues) {
        DoubleHistogram known = histograms.get(histogram);
        if (known != null && !closed) {
            known.record(value, known(histogram, tagValues));
        }
    }

    @Override
    public Histogram histogram(LanewayMetric histogram, String... tagValues) {
        DoubleHistogram known = histograms.get(histogram);
        Attributes looked = known(histogram, tagValues);
        return value -> {
            if (known != null && !closed) {
                known.record(value, looked);
            }
        };
    }

    @Override
    public void add(LanewayMetric counter, long more, String... tagValues) {
        LongCounter known = counters.get(counter);
        if (known != null && !closed) {
            known.add(more, known(counter, tagValues));
        }
    }

    /** Of histograms and counters, whose values are bounded. */
    private Attributes known(LanewayMetric metric, String... tagValues) {
        return attributes.computeIfAbsent(new Key(metric, List.of(tagValues)), _ -> of(metric, tagValues));
    }

    @Override
    public void assigned(List<TopicPartition> ids) {
        partitions.addAll(ids);
    }

    @Override
    public void gone(List<TopicPartition> ids) {
        ids.forEach(partitions::remove);
    }

    @Override
    public void close() {
        closed = true;
        partitions.clear();
        for (AutoCloseable one : asked) {
            try {
                one.close();
            } catch (Exception impossible) {
                throw new IllegalStateException("an instrument of OpenTelemetry's did not close", impossible);
            }
        }
        closing.run();
    }
}
