package dev.laneway;

import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Handles one record. Returning means done; throwing hands the record to the {@link FailurePolicy}. Called by many
 * workers at once, so it must be thread-safe; records of one lane never overlap.
 */
@FunctionalInterface
public interface RecordHandler<K, V> {
    /**
     * Handles a record; it may block.
     *
     * @throws Exception of any kind: the failure policy decides what follows
     */
    void handle(ConsumerRecord<K, V> record) throws Exception;
}
