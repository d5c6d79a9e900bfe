package dev.laneway.ops;

import java.util.Collection;
import java.util.Objects;

/**
 * Sums over partitions. What is not known counts as 0. Immutable.
 *
 * @param partitions how many there are
 * @param uncommitted those without a commit
 * @param lag of those whose lag is known
 * @param doneBeyond what maps name done
 * @param toDo what a restart that reads the maps handles
 * @param warned those with a warning
 */
public record CommitTotals(int partitions, int uncommitted, long lag, long doneBeyond, long toDo, int warned) {
    static CommitTotals of(Collection<PartitionCommit> commits) {
        return new CommitTotals(
                commits.size(),
                (int) commits.stream().filter(each -> each.committed() == null).count(),
                commits.stream()
                        .map(PartitionCommit::lag)
                        .filter(Objects::nonNull)
                        .mapToLong(Long::longValue)
                        .sum(),
                commits.stream().mapToLong(PartitionCommit::doneBeyond).sum(),
                commits.stream()
                        .map(PartitionCommit::toDo)
                        .filter(Objects::nonNull)
                        .mapToLong(Long::longValue)
                        .sum(),
                (int) commits.stream()
                        .filter(each -> !each.warnings().isEmpty())
                        .count());
    }
}
