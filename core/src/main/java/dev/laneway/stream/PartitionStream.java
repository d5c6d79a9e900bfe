package dev.laneway.stream;

import java.util.Objects;
import org.apache.kafka.common.TopicPartition;

/**
 * One assignment of one partition as a stream of its own. It completes when the partition is given up, and goes on when
 * a rebalance leaves it here. When it comes back, that is another stream. Immutable.
 *
 * @param partition the partition
 * @param source its records, in order. Its control ends this stream only; then the partition stays here, unread, until
 *     the group gives it to somebody else
 */
public record PartitionStream<T>(TopicPartition partition, Source<T> source) {
    /** Refuses null. */
    public PartitionStream {
        Objects.requireNonNull(partition, "partition");
        Objects.requireNonNull(source, "source");
    }
}
