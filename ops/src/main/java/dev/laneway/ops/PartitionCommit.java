package dev.laneway.ops;

import dev.laneway.ops.CommitMap.Run;
import java.util.List;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * What a group has committed of one partition, and what that means for its log. Offsets are counted, so gaps of
 * compaction and markers of transactions count too. Immutable.
 *
 * @param committed null without a commit
 * @param leaderEpoch that of the commit; null if it has none
 * @param metadata what stands beside the committed offset
 * @param start the first offset of the log; null if not known
 * @param end the offset after the last one of the log; null if not known
 * @param lag end minus committed, as Kafka's own commands count it; null if not known
 * @param toDo what a restart that reads the map handles of the log as it is now; null if not known
 * @param undone what is undone below the last offset that the map names done, ascending; nothing without a map
 * @param warnings what is not in order, in sentences without a full stop
 * @param isComplete false if a part could not be read; a warning then says which
 */
public record PartitionCommit(
        TopicPartition partition,
        @Nullable Long committed,
        @Nullable Integer leaderEpoch,
        CommitMetadata metadata,
        @Nullable Long start,
        @Nullable Long end,
        @Nullable Long lag,
        @Nullable Long toDo,
        List<Run> undone,
        List<String> warnings,
        boolean isComplete) {
    /** Copies the lists. */
    public PartitionCommit {
        undone = List.copyOf(undone);
        warnings = List.copyOf(warnings);
    }

    /** How many offsets from the committed one on the map names done. */
    public long doneBeyond() {
        return metadata.done().stream().mapToLong(Run::length).sum();
    }

    /** The last offset that the map names done; null if it names none. */
    public @Nullable Long lastDone() {
        return metadata.done().isEmpty()
                ? null
                : (Long) (metadata.done().getLast().to() - 1);
    }
}
