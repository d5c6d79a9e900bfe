package dev.laneway.stream;

import dev.laneway.SendFailedException;
import java.util.List;
import org.apache.kafka.clients.producer.RecordMetadata;

/** The result of an {@link Envelope}. {@link KafkaSink#flow} emits one for each, in order. Immutable. */
public sealed interface Result<K, V, P> {
    /** The envelope. */
    Envelope<K, V, P> envelope();

    /** The value that passed through. */
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
