package dev.laneway.ops;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What a group has committed. Immutable.
 *
 * @param state as Kafka names it
 * @param members how many members it has
 * @param metadataLimit how many characters of metadata the broker takes beside an offset; null if it does not say
 * @param partitions those with a commit, and those that members have; by topic and number
 * @param problems sentences about what could not be read
 */
public record GroupCommits(
        String group,
        GroupKind kind,
        String state,
        int members,
        @Nullable Integer metadataLimit,
        List<PartitionCommit> partitions,
        List<String> problems) {
    /** Copies the lists. */
    public GroupCommits {
        partitions = List.copyOf(partitions);
        problems = List.copyOf(problems);
    }

    /** Whether everything could be read. */
    public boolean isComplete() {
        return problems.isEmpty() && partitions.stream().allMatch(PartitionCommit::isComplete);
    }

    /** The sums over all partitions. */
    public CommitTotals totals() {
        return CommitTotals.of(partitions);
    }

    /** The sums over the partitions of each topic. */
    public SortedMap<String, CommitTotals> totalsByTopic() {
        SortedMap<String, CommitTotals> totals = new TreeMap<>();
        partitions.stream()
                .collect(Collectors.groupingBy(each -> each.partition().topic()))
                .forEach((topic, commits) -> totals.put(topic, CommitTotals.of(commits)));
        return totals;
    }
}
