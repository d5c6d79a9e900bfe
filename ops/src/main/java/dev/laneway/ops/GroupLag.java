package dev.laneway.ops;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The lag of a group at one moment. Immutable.
 *
 * @param state as Kafka names it, such as Stable
 * @param partitions the most lag first; those of which it is not known come first of all
 * @param problems sentences about what could not be measured for the group as a whole
 */
public record GroupLag(
        String group,
        GroupKind kind,
        String state,
        List<GroupMember> members,
        List<PartitionLag> partitions,
        List<String> problems) {
    /** Copies the lists. */
    public GroupLag {
        members = List.copyOf(members);
        partitions = List.copyOf(partitions);
        problems = List.copyOf(problems);
    }

    /** The worst status of all partitions; UNKNOWN if there is none or the group could not be measured. */
    public LagStatus status() {
        LagStatus none = partitions.isEmpty() || !problems.isEmpty() ? LagStatus.UNKNOWN : LagStatus.OK;
        return partitions.stream().map(PartitionLag::status).reduce(none, LagStatus::worse);
    }

    /** The sum of what is known; see {@link #isComplete()}. */
    public long knownLag() {
        return partitions.stream()
                .map(PartitionLag::lag)
                .filter(Objects::nonNull)
                .mapToLong(Long::longValue)
                .sum();
    }

    /** Whether no partition failed and no request about the group did. */
    public boolean isComplete() {
        return problems.isEmpty() && partitions.stream().allMatch(PartitionLag::isComplete);
    }

    /** Seconds until the slowest partition has nothing to do; null if any is not known, infinite if one never is. */
    public @Nullable Double secondsToClear() {
        double most = 0;
        for (PartitionLag partition : partitions) {
            Double seconds = partition.secondsToClear();
            if (seconds == null) {
                return null;
            }
            most = Math.max(most, seconds);
        }
        return partitions.isEmpty() ? null : most;
    }
}
