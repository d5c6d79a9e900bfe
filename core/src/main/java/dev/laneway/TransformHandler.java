package dev.laneway;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Turns one record into records to send. The record is done when the broker has acknowledged all of them. Called by
 * many workers at once, so it must be thread-safe; records of one lane never overlap.
 */
@FunctionalInterface
public interface TransformHandler<K, V, K2, V2> {
    /**
     * Transforms a record; it may block.
     *
     * @return the records to send, in order; may be empty, never null
     * @throws Exception of any kind: the failure policy decides what follows
     */
    Iterable<ProducerRecord<K2, V2>> handle(ConsumerRecord<K, V> record) throws Exception;
}
