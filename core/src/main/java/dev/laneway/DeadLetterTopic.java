package dev.laneway;

import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Chooses the dead-letter topic of a record, where one name does not do: a subscription by pattern, or topics by kind
 * of failure. Called by many workers at once, so it must be thread-safe; must not wait.
 */
@FunctionalInterface
public interface DeadLetterTopic {
    /**
     * The topic that the record goes to.
     *
     * @param record as it was read; must not be changed
     * @param failure what the last attempt threw; empty when the handler asked for a dead letter
     * @return a topic's name; null or blank, or an exception, stops the consumer, and the record is not done
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
