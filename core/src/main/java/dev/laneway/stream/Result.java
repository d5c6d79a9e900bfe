package dev.laneway.stream;

import dev.laneway.SendFailedException;
import java.util.List;
import org.apache.kafka.clients.producer.RecordMetadata;

/**
 * What became of an {@link Envelope}. {@link KafkaSink#flow} gives one for each, in the order of the envelopes.
 * Immutable.
 */
public sealed interface Result<K, V, P> {
    /** What it is the result of. */
    Envelope<K, V, P> envelope();

    /** What the envelope carried through. */
    default P passThrough() {
        return envelope().passThrough();
    }

    /**
     * The broker has acknowledged every record of the envelope.
     *
     * @param metadata where the records are, in their order; empty for an envelope without records
     */
    record Sent<K, V, P>(Envelope<K, V, P> envelope, List<RecordMetadata> metadata) implements Result<K, V, P> {
        /** Copies the list. */
        public Sent {
            metadata = List.copyOf(metadata);
        }
    }

    /**
     * A record of the envelope could not be sent, and the failure policy says skip. Other records of the same envelope
     * may have been sent.
     *
     * @param failure names the record; its cause is Kafka's
     */
    record Failed<K, V, P>(Envelope<K, V, P> envelope, SendFailedException failure) implements Result<K, V, P> {}
}
