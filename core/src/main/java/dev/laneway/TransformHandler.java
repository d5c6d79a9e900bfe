package dev.laneway;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Computes from one record the records to send. The record is done when the broker has acknowledged all of them. Called
 * by many workers at once, so it must be thread-safe; records of one lane never overlap.
 */
@FunctionalInterface
public interface TransformHandler<K, V, K2, V2> {
    /**
     * Transforms a record; it may block.
     *
     * @return the records to send, in order; empty when there is nothing to send; never null
     * @throws Exception anything: the failure policy decides what follows
     */
    Iterable<ProducerRecord<K2, V2>> handle(ConsumerRecord<K, V> record) throws Exception;
}
