package dev.laneway.testkit.sim;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** The members of a group as its coordinator knows them, under one of the two protocols. */
sealed interface SimMembers permits SimClassicGroup, SimConsumerGroup {
    /** The sender of a request: a member in a generation (or member epoch), or none. */
    record Identity(
            String memberId, int generation, @Nullable String instanceId) {
        static final Identity NONE = new Identity("", -1, null);
    }

    boolean isEmpty();

    /** Member ids in the order in which they joined. */
    List<String> memberIds();

    /** Which member each partition is assigned to. */
    Map<TopicPartition, String> owners();

    /** Throws the coordinator's error if this member may not commit. */
    void validateCommit(Identity who, Set<TopicPartition> partitions, boolean transactional);

    /** Removes a member, as when its session has timed out. Unknown ids are ignored. */
    void evict(String memberId);

    /** Starts a rebalance (classic) or computes a new target assignment (consumer protocol). */
    void rebalance();
}
