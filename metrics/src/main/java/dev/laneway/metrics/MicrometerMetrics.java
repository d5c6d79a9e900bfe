package dev.laneway.metrics;

import dev.laneway.LanewayObserver;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.kafka.KafkaClientMetrics;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Registers the metrics of consumers with Micrometer, for as long as they run:
 * {@code Laneway.consumer(config).observer(MicrometerMetrics.to(registry))}.
 *
 * <p>One object may be given to several consumers, and several objects may share a registry. Immutable and thread-safe.
 */
public final class MicrometerMetrics implements LanewayObserver.Factory {
    private final MeterRegistry registry;
    private final boolean withClients;

    private MicrometerMetrics(MeterRegistry registry, boolean withClients) {
        this.registry = Objects.requireNonNull(registry, "registry");
        this.withClients = withClients;
    }

    /**
     * To this registry. Beside Laneway's metrics ({@link LanewayMetric}) stand those of the Kafka clients, by
     * Micrometer's {@link KafkaClientMetrics}.
     */
    public static MicrometerMetrics to(MeterRegistry registry) {
        return new MicrometerMetrics(registry, true);
    }

    /** The same without the metrics of the Kafka clients: for those who bind them already. */
    public MicrometerMetrics withoutClientMetrics() {
        return new MicrometerMetrics(registry, false);
    }

    /** Registers what there is before any partition is assigned. Called by the consumer. */
    @Override
    public LanewayObserver observe(LanewayObserver.Subject consumer) {
        KafkaClientMetrics clients = clients(consumer);
        Readings readings = new Readings(consumer, System::nanoTime);
        Meters meters = MicrometerMeters.register(registry, consumer, readings, clients);
        return new MeteredConsumer(consumer, meters, System::nanoTime, System::currentTimeMillis);
    }

    private @Nullable KafkaClientMetrics clients(LanewayObserver.Subject consumer) {
        if (!withClients) {
            return null;
        }
        KafkaClientMetrics metrics = new KafkaClientMetrics(ClientView.of(consumer));
        metrics.bindTo(registry);
        return metrics;
    }
}
