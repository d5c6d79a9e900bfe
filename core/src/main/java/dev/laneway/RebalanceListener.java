package dev.laneway;

import java.util.Collection;
import org.apache.kafka.common.TopicPartition;

/**
 * Hears of changes of the assignment, on the owner thread, inside poll: return soon, since the whole group waits. An
 * exception stops the consumer. Implement one of the two forms of each method: by default the one with a consumer calls
 * the other.
 */
public interface RebalanceListener {
    /**
     * These partitions were assigned; none of their records has been processed. Those without an answer from the
     * brokers get their start position later.
     */
    default void onAssigned(Collection<TopicPartition> partitions) {}

    /** As {@link #onAssigned(Collection)}, with access to the consumer until it returns. */
    default void onAssigned(RestrictedConsumer consumer, Collection<TopicPartition> partitions) {
        onAssigned(partitions);
    }

    /** These partitions are being given up; what finished has been committed. */
    default void onRevoked(Collection<TopicPartition> partitions) {}

    /** As {@link #onRevoked(Collection)}, with access to the consumer until it returns. */
    default void onRevoked(RestrictedConsumer consumer, Collection<TopicPartition> partitions) {
        onRevoked(partitions);
    }

    /** These partitions may already belong to another member; what finished since the last commit was not committed. */
    default void onLost(Collection<TopicPartition> partitions) {}

    /** As {@link #onLost(Collection)}, with access to the consumer until it returns. */
    default void onLost(RestrictedConsumer consumer, Collection<TopicPartition> partitions) {
        onLost(partitions);
    }
}
