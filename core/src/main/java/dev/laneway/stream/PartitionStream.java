package dev.laneway.stream;

import java.util.Objects;
import org.apache.kafka.common.TopicPartition;

/**
 * One assignment of one partition as a stream. It completes when the partition is given up, and goes on if a rebalance
 * leaves the partition here. A later assignment is another stream. Immutable.
 *
 * @param partition the partition
 * @param source its records, in order. Its control ends this stream only; then the partition stays assigned and unread
 */
public record PartitionStream<T>(TopicPartition partition, Source<T> source) {
    /** Refuses null. */
    public PartitionStream {
        Objects.requireNonNull(partition, "partition");
        Objects.requireNonNull(source, "source");
    }
}
