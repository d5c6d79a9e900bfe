package dev.laneway.engine;

import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Records of one partition that a stream delivers one after the other: a part of what a poll returned. Immutable.
 *
 * @param records what the poll returned, in offset order
 * @param from the first one to deliver
 * @param to the one after the last one
 */
public record Run(List<ConsumerRecord<byte[], byte[]>> records, int from, int to) {}
