package dev.laneway;

import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/** A record of a stream could not be sent. The cause is Kafka's own exception, or the serialiser's. Immutable. */
public final class SendFailedException extends LanewayException {
    private static final long serialVersionUID = 1;

    private final transient @Nullable ProducerRecord<?, ?> record;

    /**
     * Names the record by its topic. The message has neither key nor value, since they may be confidential.
     *
     * @param attempts how often it was sent
     */
    public SendFailedException(ProducerRecord<?, ?> record, int attempts, Throwable cause) {
        super(
                "a record for topic " + record.topic() + " could not be sent, after " + attempts
                        + " attempts: mend the topic or the producer's configuration, or choose onFailure(skip) to go"
                        + " on without it",
                cause);
        this.record = record;
    }

    /** The record as the sink received it; null only if this exception was deserialised. */
    public @Nullable ProducerRecord<?, ?> record() {
        return record;
    }
}
