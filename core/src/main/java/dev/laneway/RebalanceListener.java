package dev.laneway;

import java.util.Collection;
import org.apache.kafka.common.TopicPartition;

/**
 * Told of changes of the assignment, on the owner thread, inside poll: return soon. What it throws stops the consumer
 * with the failure.
 */
public interface RebalanceListener {
    /** These partitions were assigned and have their start positions; none of their records has been processed. */
    default void onAssigned(Collection<TopicPartition> partitions) {}

    /** These partitions are given up; what finished has been committed. */
    default void onRevoked(Collection<TopicPartition> partitions) {}

    /** These partitions belong to somebody else already; nothing of them was committed. */
    default void onLost(Collection<TopicPartition> partitions) {}
}
