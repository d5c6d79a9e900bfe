package dev.laneway;

import java.util.Collection;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.TopicPartition;

/**
 * What may safely be asked of Kafka's consumer while a rebalance is served. For a {@link RebalanceListener}, on its
 * thread and until it returns; afterwards, and on any other thread, each method throws an
 * {@link IllegalStateException}.
 *
 * <p>Each call may wait for the broker, for {@code brokerLimit} at most, and the group waits meanwhile; then it throws
 * a {@link BrokerException}. What Kafka refuses comes as Kafka's own exception.
 */
public interface RestrictedConsumer {
    /** The partitions that Kafka's consumer has at this moment: those that are being revoked included. */
    Set<TopicPartition> assignment();

    /** The first offset of each of these partitions. */
    Map<TopicPartition, Long> beginningOffsets(Collection<TopicPartition> partitions);

    /** The end of each of these partitions, as far as the consumer's {@code isolation.level} lets it see. */
    Map<TopicPartition, Long> endOffsets(Collection<TopicPartition> partitions);

    /** What the group has committed of these partitions. Those of which it has nothing are missing. */
    Map<TopicPartition, OffsetAndMetadata> committed(Set<TopicPartition> partitions);

    /**
     * The offset from which on an assigned partition is fetched next. Not what has been processed: that is behind it.
     */
    long position(TopicPartition partition);

    /** The first record at each time, in milliseconds of the epoch, or after it. Partitions without one are missing. */
    Map<TopicPartition, OffsetAndTimestamp> offsetsForTimes(Map<TopicPartition, Long> times);

    /**
     * Begins a partition that has just been assigned at another offset, instead of where the group or the start
     * position says. What an earlier owner has done beyond it is done again. The next commit writes the offset to the
     * group.
     *
     * @throws IllegalStateException unless the partition is one of those that {@link RebalanceListener#onAssigned} was
     *     called with, and when its offset is kept elsewhere
     * @throws IllegalArgumentException when the offset is negative
     */
    void seek(TopicPartition partition, long offset);

    /**
     * Commits offsets of one's own for partitions that have just been assigned, or are given up, and waits. It moves
     * nothing here: what is read begins where it would have begun, and the next commit of Laneway says what it has
     * done. So this is for partitions that are given up, whose last commit it is, and beside a {@link #seek}. Under the
     * consumer protocol Kafka's client may repeat it for a member that the group has thrown out meanwhile (guarantees,
     * G3).
     *
     * @throws IllegalStateException unless all partitions are of those that {@link RebalanceListener#onAssigned} or
     *     {@link RebalanceListener#onRevoked} was called with; of lost ones nothing can be committed
     */
    void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets);
}
