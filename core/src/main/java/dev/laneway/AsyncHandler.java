package dev.laneway;

import java.util.concurrent.CompletionStage;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Handles one record without holding a thread. The record counts against the concurrency, and its lane stays held,
 * until the stage completes. Called by many workers at once, so it must be thread-safe; records of one lane never
 * overlap.
 */
@FunctionalInterface
public interface AsyncHandler<K, V> {
    /**
     * Starts handling a record; must not block for long.
     *
     * @return a stage of what becomes of the record. Completing it exceptionally, cancelling it or completing it with
     *     null is a failed attempt, as is a null stage. Only its first completion counts.
     * @throws Exception anything: a failed attempt
     */
    CompletionStage<Outcome> handle(ConsumerRecord<K, V> record, RecordContext context) throws Exception;
}
