package dev.laneway;

import java.util.Collection;
import org.apache.kafka.common.TopicPartition;

/**
 * Told of changes of the assignment, on the owner thread, inside poll: return soon. What it throws stops the consumer
 * with the failure. Of the two forms of each method implement one: that with a consumer calls the other one, unless it
 * is implemented.
 */
public interface RebalanceListener {
    /**
     * These partitions were assigned; none of their records has been processed. Where the brokers have answered at once
     * they have their start positions, and the others get theirs later.
     */
    default void onAssigned(Collection<TopicPartition> partitions) {}

    /** As {@link #onAssigned(Collection)}, with what may be asked of the consumer meanwhile. */
    default void onAssigned(RestrictedConsumer consumer, Collection<TopicPartition> partitions) {
        onAssigned(partitions);
    }

    /** These partitions are given up; what finished has been committed. */
    default void onRevoked(Collection<TopicPartition> partitions) {}

    /** As {@link #onRevoked(Collection)}, with what may be asked of the consumer meanwhile. */
    default void onRevoked(RestrictedConsumer consumer, Collection<TopicPartition> partitions) {
        onRevoked(partitions);
    }

    /** These partitions belong to somebody else already; nothing of them was committed. */
    default void onLost(Collection<TopicPartition> partitions) {}

    /** As {@link #onLost(Collection)}, with what may be asked of the consumer meanwhile. */
    default void onLost(RestrictedConsumer consumer, Collection<TopicPartition> partitions) {
        onLost(partitions);
    }
}
