package dev.laneway;

import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Chooses the dead-letter topic of a record if one name is not enough, as for a subscription by pattern, or topics by
 * kind of failure. Called by many workers at once, so it must be thread-safe; it must not block.
 */
@FunctionalInterface
public interface DeadLetterTopic {
    /**
     * The topic that the record goes to.
     *
     * @param record as it was read; must not be changed
     * @param failure what the last attempt threw; empty if the handler returned {@link Outcome#deadLetter}
     * @return a topic's name. If it is null or blank, or if this throws, the consumer stops and the record is not done
     */
    String topicFor(ConsumerRecord<byte[], byte[]> record, Optional<Throwable> failure);

    /** Always the same topic. Immutable. */
    record Fixed(String topic) implements DeadLetterTopic {
        @Override
        public String topicFor(ConsumerRecord<byte[], byte[]> record, Optional<Throwable> failure) {
            return topic;
        }
    }
}
