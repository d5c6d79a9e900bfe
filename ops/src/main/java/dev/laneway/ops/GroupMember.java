package dev.laneway.ops;

import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * A member of a group, as its coordinator knows it. Immutable.
 *
 * @param id the coordinator's name of it
 * @param instanceId of a static member, see {@code group.instance.id}; null for another
 * @param partitions those that it has; of Kafka Streams those of its active tasks
 */
public record GroupMember(
        String id, String clientId, String host, @Nullable String instanceId, Set<TopicPartition> partitions) {
    /** Copies the set. */
    public GroupMember {
        partitions = Set.copyOf(partitions);
    }
}
