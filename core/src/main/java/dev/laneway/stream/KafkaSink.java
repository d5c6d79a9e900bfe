package dev.laneway.stream;

import java.util.concurrent.Flow;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Streams into Kafka. Each of these is for one stream. What is in flight is bounded by the settings, and when a budget
 * is spent the stream above waits; a record in flight is in the producer's hands, and a broker that is slow slows the
 * stream down. No thread of the stream is blocked, unless it is a virtual one.
 */
public final class KafkaSink {
    private KafkaSink() {}

    /**
     * Sends records. Completes when all of them are acknowledged; fails with a {@link dev.laneway.SendFailedException}
     * when one cannot be sent, unless the settings say skip.
     */
    public static <K, V> Sink<ProducerRecord<K, V>> plain(ProducerSettings<K, V> settings) {
        Sending<ProducerRecord<K, V>, K, V, ProducerRecord<K, V>> sending = sending(settings, new Shape.Bare<>());
        Nobody<ProducerRecord<K, V>> nobody = new Nobody<>();
        sending.subscribe(nobody);
        return new Head<>(sending, nobody.completion(), sending.closed());
    }

    /**
     * Sends the records of envelopes and gives a result for each envelope, in their order, when the broker has
     * acknowledged its records. For one stream above and one subscriber below.
     *
     * @param <P> what passes through
     */
    public static <K, V, P> Flow.Processor<Envelope<K, V, P>, Result<K, V, P>> flow(ProducerSettings<K, V> settings) {
        return sending(settings, new Shape.Enveloped<>());
    }

    private static <T, K, V, R> Sending<T, K, V, R> sending(ProducerSettings<K, V> settings, Shape<T, K, V, R> shape) {
        return new Sending<>(settings, shape, Machine.real("laneway-sink"));
    }
}
