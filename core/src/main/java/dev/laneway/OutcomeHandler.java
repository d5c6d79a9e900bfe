package dev.laneway;

import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Handles one record with its {@link RecordContext} and returns its outcome. Called by many workers at once, so it must
 * be thread-safe; records of one lane never overlap.
 */
@FunctionalInterface
public interface OutcomeHandler<K, V> {
    /**
     * Handles a record; it may block.
     *
     * @return the outcome of the record; never null
     * @throws Exception of any kind: the failure policy decides what follows
     */
    Outcome handle(ConsumerRecord<K, V> record, RecordContext context) throws Exception;
}
