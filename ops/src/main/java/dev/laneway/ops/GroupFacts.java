package dev.laneway.ops;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.SharePartitionOffsetInfo;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * What the coordinator says of a group. Immutable.
 *
 * @param isGone whether the group does not exist any more
 * @param owned the partitions that its members have, as far as this is known
 * @param isOwnershipKnown false if the members could not be read, or change right now
 * @param arePositionsKnown false if the committed offsets could not be read
 * @param coordinator the number of the broker that keeps the group; null if not known
 */
record GroupFacts(
        String group,
        GroupKind kind,
        String state,
        List<GroupMember> members,
        boolean isGone,
        Set<TopicPartition> owned,
        boolean isOwnershipKnown,
        Map<TopicPartition, Position> positions,
        boolean arePositionsKnown,
        @Nullable Integer coordinator,
        List<String> problems) {

    /** Where the group is in a partition. */
    record Position(
            long committed,
            @Nullable Integer leaderEpoch,
            String metadata,
            long givenLag,
            @Nullable String reason) {
        static final Position NONE = new Position(Reading.UNKNOWN, null, "", Reading.UNKNOWN, null);

        static Position of(@Nullable OffsetAndMetadata commit) {
            return commit == null
                    ? NONE
                    : new Position(
                            commit.offset(),
                            commit.leaderEpoch().orElse(null),
                            commit.metadata(),
                            Reading.UNKNOWN,
                            null);
        }

        static Position of(@Nullable SharePartitionOffsetInfo info) {
            if (info == null || info.startOffset() < 0) { // Nothing has been acquired yet.
                return NONE;
            }
            boolean isGiven = info.lag().isPresent() && info.lag().get() >= 0;
            return new Position(
                    info.startOffset(),
                    null,
                    "",
                    isGiven ? info.lag().get() : Reading.UNKNOWN,
                    isGiven ? null : "the broker gives no lag of share groups: it takes a broker of 4.2 or later");
        }
    }

    /** Members get their partitions right now: who has which says little. */
    static boolean isRebalancing(GroupState state) {
        return switch (state) {
            case PREPARING_REBALANCE, COMPLETING_REBALANCE, ASSIGNING, RECONCILING -> true;
            case UNKNOWN, STABLE, DEAD, EMPTY, NOT_READY -> false;
        };
    }

    /** Those with a commit, and those that members have. */
    Map<TopicPartition, Position> known() {
        Map<TopicPartition, Position> known = new TreeMap<>(
                java.util.Comparator.comparing(TopicPartition::topic).thenComparingInt(TopicPartition::partition));
        known.putAll(positions);
        owned.forEach(partition -> known.putIfAbsent(partition, Position.NONE));
        return known;
    }
}
