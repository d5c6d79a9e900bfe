package dev.laneway;

import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Handles one record, sees its {@link RecordContext} and says what becomes of it. Called by many workers at once, so it
 * must be thread-safe; records of one lane never overlap.
 */
@FunctionalInterface
public interface OutcomeHandler<K, V> {
    /**
     * Handles a record; it may block.
     *
     * @return what becomes of the record; never null
     * @throws Exception anything: the failure policy decides what follows
     */
    Outcome handle(ConsumerRecord<K, V> record, RecordContext context) throws Exception;
}
