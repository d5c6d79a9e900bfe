package dev.laneway;

import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Handles several records of one partition at once, for bulk writes. Records of one lane stand in the list in their
 * order, and no two batches that share a lane overlap. Called by many workers at once, so it must be thread-safe.
 */
@FunctionalInterface
public interface BatchHandler<K, V> {
    /**
     * Handles a batch; it may block.
     *
     * @param records at least one record, at most as many as the batch size; unmodifiable
     * @return what becomes of each record; never null
     * @throws Exception anything: each record of the batch is a failed attempt
     */
    BatchOutcome handle(List<ConsumerRecord<K, V>> records) throws Exception;
}
