package dev.laneway.tracing;

import dev.laneway.LanewayObserver;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Tracer;
import java.util.Objects;

/**
 * Traces what consumers do: {@code Laneway.consumer(config).observer(OpenTelemetryTracing.to(openTelemetry))}.
 *
 * <p>Each attempt at a record is a span {@code process TOPIC}. Its parent is the context in the record's headers, read
 * by the propagators of the OpenTelemetry that is given; it is current while the handler runs, and ends with the
 * attempt, of an asynchronous handler with its stage. A batch is one span with a link to each record. Each try to send
 * an output or a dead letter is a span {@code send TOPIC} below the attempt, whose context goes into the headers of
 * what is sent. The names are those of OpenTelemetry's conventions for messaging; keys appear as hashes only. The scope
 * is {@code dev.laneway}.
 *
 * <p>Beside OpenTelemetry's Java agent, give its {@code GlobalOpenTelemetry.get()}: the attempts are traced here alone,
 * and the agent makes the spans of what is sent. Thread-safe; one object serves any number of consumers.
 */
public final class OpenTelemetryTracing implements LanewayObserver.Factory {
    private static final String SCOPE = "dev.laneway";

    private final Tracer tracer;
    private final HeaderPropagation propagation;

    private OpenTelemetryTracing(Tracer tracer, HeaderPropagation propagation) {
        this.tracer = tracer;
        this.propagation = propagation;
    }

    /** By the tracer provider and the propagators of this one. */
    public static OpenTelemetryTracing to(OpenTelemetry openTelemetry) {
        Objects.requireNonNull(openTelemetry, "openTelemetry");
        return new OpenTelemetryTracing(
                openTelemetry.getTracer(SCOPE),
                new HeaderPropagation(openTelemetry.getPropagators().getTextMapPropagator()));
    }

    /** Called by the consumer. */
    @Override
    public LanewayObserver observe(LanewayObserver.Subject consumer) {
        return new TracedConsumer(tracer, propagation, consumer);
    }
}
