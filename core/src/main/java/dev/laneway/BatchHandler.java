package dev.laneway;

import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Handles several records of one partition at once, for bulk writes. Records of one lane are in order in the list, and
 * batches that share a lane never overlap. Called by many workers at once, so it must be thread-safe.
 */
@FunctionalInterface
public interface BatchHandler<K, V> {
    /**
     * Handles a batch; it may block.
     *
     * @param records at least one record, at most as many as the batch size; unmodifiable
     * @return the outcome of each record; never null
     * @throws Exception of any kind: the attempt has failed for each record of the batch
     */
    BatchOutcome handle(List<ConsumerRecord<K, V>> records) throws Exception;
}
