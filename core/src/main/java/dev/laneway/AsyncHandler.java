package dev.laneway;

import java.util.concurrent.CompletionStage;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Handles one record without holding a thread. Until the stage completes, the record counts against the concurrency and
 * later records of its lane wait. Called by many workers at once, so it must be thread-safe; records of one lane never
 * overlap.
 */
@FunctionalInterface
public interface AsyncHandler<K, V> {
    /**
     * Starts handling a record; must not block for long.
     *
     * @return a stage that completes with the outcome. If it fails, is cancelled or completes with null, or if the
     *     stage itself is null, the attempt has failed. Only its first completion counts
     * @throws Exception of any kind: the attempt has failed
     */
    CompletionStage<Outcome> handle(ConsumerRecord<K, V> record, RecordContext context) throws Exception;
}
