package dev.laneway.metrics;

import dev.laneway.Health;
import dev.laneway.LanewayObserver;
import dev.laneway.PauseReason;
import dev.laneway.State;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * One consumer's meters in a registry of Micrometer's. Meters come and go under this object's lock; values are added
 * without it. Thread-safe.
 */
final class MicrometerMeters implements Meters {
    /** A counter or histogram that is made when it is first needed. */
    private record Key(LanewayMetric metric, List<String> tagValues) {}

    private final MeterRegistry registry;
    private final String client;
    private final String group;
    private final Readings readings;
    private final @Nullable AutoCloseable clients;
    private final ConcurrentMap<Key, Meter> made = new ConcurrentHashMap<>();
    // Guarded by this.
    private final List<Meter> own = new ArrayList<>();
    private final Map<TopicPartition, List<Meter>> ofPartitions = new HashMap<>();
    private boolean closed;

    private MicrometerMeters(
            MeterRegistry registry, String client, String group, Readings readings, @Nullable AutoCloseable clients) {
        this.registry = registry;
        this.client = client;
        this.group = group;
        this.readings = readings;
        this.clients = clients;
    }

    /**
     * Registers the meters of a consumer.
     *
     * @param clients closed with the meters; null where there is nothing to close
     */
    static MicrometerMeters register(
            MeterRegistry registry,
            LanewayObserver.Subject consumer,
            Readings readings,
            @Nullable AutoCloseable clients) {
        synchronized (registry) { // Of two that start at once each finds a name of its own.
            MicrometerMeters meters = new MicrometerMeters(
                    registry,
                    freeName(registry, consumer.name()),
                    consumer.group().orElse(""),
                    readings,
                    clients);
            meters.registerOwn();
            return meters;
        }
    }

    private static String freeName(MeterRegistry registry, String name) {
        String free = name;
        for (int number = 2; isTaken(registry, free); number++) {
            free = name + "-" + number;
        }
        return free;
    }

    private static boolean isTaken(MeterRegistry registry, String name) {
        return registry.find(LanewayMetric.HEALTH.metricName())
                        .tag(MetricTag.CLIENT.key(), name)
                        .meter()
                != null;
    }

    private synchronized void registerOwn() {
        for (LanewayMetric metric : LanewayMetric.values()) {
            switch (metric) {
                case CONSUMED, TRANSACTIONS -> {}
                case PAUSED -> {
                    for (PauseReason reason : PauseReason.values()) {
                        own.add(gauge(metric, () -> readings.paused(reason), lower(reason)));
                    }
                }
                case HEALTH_CAUSE -> {
                    for (Health.Cause cause : Health.Cause.values()) {
                        own.add(gauge(metric, () -> readings.isNamed(cause), Readings.verdict(cause)));
                    }
                }
                case STATE_IS -> {
                    for (State state : State.values()) {
                        own.add(gauge(metric, () -> readings.isIn(state), lower(state)));
                    }
                }
                case UTILISATION -> {
                    for (Readings.Activity activity : Readings.Activity.values()) {
                        own.add(gauge(metric, () -> readings.share(activity), lower(activity)));
                    }
                }
                default -> registerPlain(metric);
            }
        }
    }

    private void registerPlain(LanewayMetric metric) {
        if (metric.isOfPartition()) {
            return;
        }
        switch (metric.kind()) {
            case COUNTER ->
                own.add(FunctionCounter.builder(metric.metricName(), readings, source -> source.value(metric))
                        .description(metric.meaning())
                        .tags(tags(metric))
                        .register(registry));
            case GAUGE -> own.add(gauge(metric, () -> readings.value(metric)));
            case HISTOGRAM -> {}
        }
    }

    private static String lower(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    private Gauge gauge(LanewayMetric metric, Supplier<Number> value, String... tagValues) {
        return Gauge.builder(metric.metricName(), value)
                .description(metric.meaning())
                .baseUnit(metric.hasUnitInName() ? metric.unit() : null)
                .tags(tags(metric, tagValues))
                .register(registry);
    }

    /** The values are those of the tags behind client and group. */
    private Tags tags(LanewayMetric metric, String... tagValues) {
        List<Tag> all = new ArrayList<>();
        List<MetricTag> tags = metric.tags();
        for (int i = 0; i < tags.size(); i++) {
            String value = i == 0 ? client : i == 1 ? group : tagValues[i - 2];
            all.add(Tag.of(metric.key(tags.get(i)), value));
        }
        metric.constantTags().forEach((key, value) -> all.add(Tag.of(key, value)));
        return Tags.of(all);
    }

    // ---------------------------------------------------------------- what is added

    @Override
    public void record(LanewayMetric histogram, double value, String... tagValues) {
        record(madeOnce(new Key(histogram, List.of(tagValues))), value);
    }

    private static void record(@Nullable Meter histogram, double value) {
        switch (histogram) {
            case Timer timer -> timer.record((long) (value * 1e9), TimeUnit.NANOSECONDS);
            case DistributionSummary summary -> summary.record(value);
            case null, default -> {} // The consumer has ended.
        }
    }

    @Override
    public Histogram histogram(LanewayMetric histogram, String... tagValues) {
        return new LookedUp(new Key(histogram, List.of(tagValues)));
    }

    private final class LookedUp implements Histogram {
        private final Key key;
        private volatile @Nullable Meter meter;

        LookedUp(Key key) {
            this.key = key;
        }

        @Override
        public void record(double value) {
            Meter known = meter;
            if (known == null) {
                known = madeOnce(key);
                meter = known;
            }
            MicrometerMeters.record(known, value);
        }
    }

    @Override
    public void add(LanewayMetric counter, long more, String... tagValues) {
        if (madeOnce(new Key(counter, List.of(tagValues))) instanceof Counter known) {
            known.increment((double) more);
        }
    }

    private @Nullable Meter madeOnce(Key key) {
        Meter known = made.get(key);
        return known == null ? make(key) : known;
    }

    private synchronized @Nullable Meter make(Key key) {
        return closed ? null : made.computeIfAbsent(key, this::register);
    }

    private Meter register(Key key) {
        LanewayMetric metric = key.metric;
        Tags tags = tags(metric, key.tagValues.toArray(String[]::new));
        if (metric.kind() == LanewayMetric.Kind.COUNTER) {
            return Counter.builder(metric.metricName())
                    .description(metric.meaning())
                    .tags(tags)
                    .register(registry);
        }
        if (metric.isTime()) {
            return Timer.builder(metric.metricName())
                    .description(metric.meaning())
                    .serviceLevelObjectives(metric.buckets().stream()
                            .map(seconds -> Duration.ofNanos((long) (seconds * 1e9)))
                            .toArray(Duration[]::new))
                    .tags(tags)
                    .register(registry);
        }
        return DistributionSummary.builder(metric.metricName())
                .description(metric.meaning())
                .serviceLevelObjectives(metric.buckets().stream()
                        .mapToDouble(Double::doubleValue)
                        .toArray())
                .tags(tags)
                .register(registry);
    }

    // ---------------------------------------------------------------- what comes and goes

    @Override
    public synchronized void assigned(List<TopicPartition> partitions) {
        if (closed) {
            return;
        }
        for (TopicPartition id : partitions) {
            ofPartitions.computeIfAbsent(id, this::registerPartition);
        }
    }

    private List<Meter> registerPartition(TopicPartition id) {
        List<Meter> meters = new ArrayList<>();
        for (LanewayMetric metric : LanewayMetric.values()) {
            if (metric.isOfPartition()) {
                meters.add(gauge(
                        metric,
                        () -> readings.value(metric, id).orElse(Double.NaN),
                        id.topic(),
                        Integer.toString(id.partition())));
            }
        }
        return meters;
    }

    @Override
    public synchronized void gone(List<TopicPartition> partitions) {
        for (TopicPartition id : partitions) {
            List<Meter> meters = ofPartitions.remove(id);
            if (meters != null) {
                meters.forEach(this::remove);
            }
        }
    }

    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            gone(List.copyOf(ofPartitions.keySet()));
            own.forEach(this::remove);
            own.clear();
            made.values().forEach(this::remove);
            made.clear();
        }
        if (clients != null) {
            try {
                clients.close();
            } catch (Exception impossible) {
                throw new IllegalStateException("Micrometer's binder of Kafka's metrics did not close", impossible);
            }
        }
    }

    private void remove(Meter meter) {
        registry.remove(meter);
        meter.close();
    }
}
