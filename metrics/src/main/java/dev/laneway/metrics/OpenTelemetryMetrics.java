package dev.laneway.metrics;

import dev.laneway.LanewayObserver;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.metrics.Meter;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Gives the metrics of consumers to OpenTelemetry, for as long as they run:
 * {@code Laneway.consumer(config).observer(OpenTelemetryMetrics.to(openTelemetry))}.
 *
 * <p>Give one object to all consumers of the process, so that two of one name get different ones: instruments of
 * OpenTelemetry cannot be looked up. What it has once recorded of histograms its SDK keeps after the end of a consumer.
 * Thread-safe.
 */
public final class OpenTelemetryMetrics implements LanewayObserver.Factory {
    private static final String SCOPE = "dev.laneway";

    private final Meter meter;
    private final Set<String> names = ConcurrentHashMap.newKeySet();

    private OpenTelemetryMetrics(Meter meter) {
        this.meter = meter;
    }

    /** By the meter provider of this one; the scope is {@code dev.laneway}. */
    public static OpenTelemetryMetrics to(OpenTelemetry openTelemetry) {
        return new OpenTelemetryMetrics(
                Objects.requireNonNull(openTelemetry, "openTelemetry").getMeter(SCOPE));
    }

    /** Builds the instruments. Called by the consumer. */
    @Override
    public LanewayObserver observe(LanewayObserver.Subject consumer) {
        String name = consumer.name();
        for (int number = 2; !names.add(name); number++) {
            name = consumer.name() + "-" + number;
        }
        String own = name;
        Readings readings = new Readings(consumer, System::nanoTime);
        Meters meters =
                new OpenTelemetryMeters(meter, own, consumer.group().orElse(""), readings, () -> names.remove(own));
        return new MeteredConsumer(consumer, meters, System::nanoTime, System::currentTimeMillis);
    }
}
