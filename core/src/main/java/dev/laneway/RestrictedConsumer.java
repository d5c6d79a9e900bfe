package dev.laneway;

import java.util.Collection;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.TopicPartition;

/**
 * What a {@link RebalanceListener} may ask of Kafka's consumer, on its thread and until it returns; afterwards, and on
 * any other thread, each method throws an {@link IllegalStateException}.
 *
 * <p>Each call may wait for the broker, for {@code brokerLimit} at most, and then throws a {@link BrokerException}; the
 * group waits meanwhile. What Kafka refuses is thrown as Kafka's own exception.
 */
public interface RestrictedConsumer {
    /** The partitions that Kafka's consumer has now, those that are being revoked included. */
    Set<TopicPartition> assignment();

    /** The first offset of each of these partitions. */
    Map<TopicPartition, Long> beginningOffsets(Collection<TopicPartition> partitions);

    /** The end of each of these partitions, as far as the consumer's {@code isolation.level} lets it see. */
    Map<TopicPartition, Long> endOffsets(Collection<TopicPartition> partitions);

    /** The group's committed offsets of these partitions. Those without one are missing. */
    Map<TopicPartition, OffsetAndMetadata> committed(Set<TopicPartition> partitions);

    /** The next offset that is fetched of an assigned partition; not what has been processed. */
    long position(TopicPartition partition);

    /** The first record at or after each time, in milliseconds since the epoch. Partitions without one are missing. */
    Map<TopicPartition, OffsetAndTimestamp> offsetsForTimes(Map<TopicPartition, Long> times);

    /**
     * Starts a partition that has just been assigned at this offset, instead of the committed one or the start
     * position. What an earlier owner has done beyond it is handled again. The next commit writes the offset to the
     * group.
     *
     * @throws IllegalStateException unless {@link RebalanceListener#onAssigned} was called with the partition, and if
     *     its offset is stored outside Kafka
     * @throws IllegalArgumentException when the offset is negative
     */
    void seek(TopicPartition partition, long offset);

    /**
     * Commits these offsets for partitions that have just been assigned or are being revoked, and waits for the answer.
     * It does not change where records are read, and Laneway's next commit overwrites it, so use it for revoked
     * partitions or together with {@link #seek}. With {@code group.protocol=consumer} Kafka's client may repeat it for
     * a member that was thrown out of the group (docs/guarantees.md, G3).
     *
     * @throws IllegalStateException unless {@link RebalanceListener#onAssigned} or {@link RebalanceListener#onRevoked}
     *     was called with all of these partitions; nothing can be committed for lost ones
     */
    void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets);
}
