package dev.laneway.engine.handle;

import dev.laneway.engine.config.AccessRefusal;
import dev.laneway.engine.track.RecordEmission;
import java.time.Duration;
import java.util.function.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.jspecify.annotations.Nullable;

/**
 * One producer while it serves. Thread-safe.
 *
 * <p>An idempotent producer of Kafka's (4.3) first asks for an id. One that cannot log in then asks once and never
 * again: it answers nothing, and its thread spins, until each record's delivery.timeout.ms is over; only a metric
 * tells. One that may not have an id asks hundreds of times a second, and finds no time for anything else. So one that
 * was refused something before it has ever sent anything is given up, and what waits in it counts as refused.
 */
final class ProbedProducer {
    private static final String FAILED_LOGINS = "failed-authentication-total";

    private final Producer<byte[], byte[]> producer;
    private final OutgoingTopics outgoing;
    private volatile boolean proven;
    private volatile boolean givenUp;
    private volatile @Nullable AccessRefusal refusal;

    ProbedProducer(Producer<byte[], byte[]> producer, OutgoingTopics outgoing) {
        this.producer = producer;
        this.outgoing = outgoing;
    }

    Producer<byte[], byte[]> producer() {
        return producer;
    }

    boolean isUseless() {
        return (refusal != null && !proven) || couldNotLogIn();
    }

    private boolean couldNotLogIn() {
        return producer.metrics().values().stream()
                .filter(metric -> metric.metricName().name().equals(FAILED_LOGINS))
                .anyMatch(metric -> metric.metricValue() instanceof Double times && times > 0);
    }

    /** Ends it at once. What waits in it is answered within this call. */
    void giveUp() {
        givenUp = true;
        producer.close(Duration.ZERO);
    }

    /** Why it is useless. */
    ApiException reason() {
        AccessRefusal known = refusal;
        return known == null ? new AuthenticationException("the producer could not log in") : known.cause();
    }

    /**
     * Sends a record of a delivery. May wait, and may throw what {@link #meant} explains.
     *
     * @param answered called with null when the broker has acknowledged it, else with the failure
     */
    void send(RecordEmission delivery, ProducerRecord<byte[], byte[]> output, Consumer<@Nullable Exception> answered) {
        OutgoingTopics.Way way = outgoing.to(output.topic());
        way.begin();
        try {
            delivery.send(producer, output, (metadata, failure) -> {
                way.end();
                if (failure == null && !proven) {
                    proven = true;
                }
                answered.accept(failure == null ? null : meant(OversizedOutput.told(output, metadata, failure)));
            });
        } catch (RuntimeException notTaken) {
            way.end();
            throw notTaken;
        }
    }

    /** What a failure to send means. */
    Exception meant(Exception failure) {
        AccessRefusal told = AccessRefusal.of(failure);
        if (told != null) {
            refusal = told;
            return failure;
        }
        return givenUp ? reason() : failure;
    }
}
