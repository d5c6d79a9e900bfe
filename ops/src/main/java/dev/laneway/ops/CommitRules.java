package dev.laneway.ops;

import dev.laneway.ops.CommitMap.Run;
import dev.laneway.ops.GroupFacts.Position;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** What a commit means for the log that it is of. Pure functions. */
final class CommitRules {
    /** The broker's limit of a commit's metadata, if it does not say another one. */
    static final int DEFAULT_LIMIT = 4_096;

    private CommitRules() {}

    /**
     * An end of a log.
     *
     * @param offset null if it could not be read
     * @param leaderEpoch null if the broker does not say
     * @param failure why the offset could not be read
     */
    record LogEdge(
            @Nullable Long offset,
            @Nullable Integer leaderEpoch,
            @Nullable String failure) {}

    /**
     * Judges a commit.
     *
     * @param limit how many characters of metadata the broker takes
     */
    static PartitionCommit judge(TopicPartition id, Position position, LogEdge first, LogEdge last, int limit) {
        boolean isCommitted = position.committed() != Reading.UNKNOWN;
        Long committed = isCommitted ? (Long) position.committed() : null;
        CommitMetadata metadata =
                isCommitted ? CommitMetadata.read(id, position.committed(), position.metadata()) : CommitMetadata.EMPTY;
        Long start = first.offset();
        Long end = last.offset();
        List<Run> undone = committed == null ? List.of() : undone(committed, metadata.done());
        List<String> warnings = new ArrayList<>();
        if (last.failure() != null) {
            warnings.add(last.failure());
        } else if (first.failure() != null) {
            warnings.add(first.failure());
        }
        if (committed != null) {
            warnings.addAll(ofLog(committed, metadata, start, end));
            warnings.addAll(ofEpoch(position.leaderEpoch(), last.leaderEpoch()));
            warnings.addAll(ofMetadata(metadata, limit));
        }
        return new PartitionCommit(
                id,
                committed,
                position.leaderEpoch(),
                metadata,
                start,
                end,
                committed == null || end == null ? null : (Long) Math.max(0, end - committed),
                committed == null || start == null || end == null
                        ? null
                        : (Long) toDo(Math.max(committed, start), end, metadata.done()),
                undone,
                warnings,
                start != null && end != null);
    }

    /** Between the committed offset and the last done one. */
    static List<Run> undone(long committed, List<Run> done) {
        List<Run> undone = new ArrayList<>(done.size());
        long from = committed;
        for (Run run : done) {
            if (run.from() > from) {
                undone.add(new Run(from, run.from()));
            }
            from = run.to();
        }
        return undone;
    }

    /** What is not done between two offsets; the second is not included. */
    private static long toDo(long from, long to, List<Run> done) {
        return Math.max(0, to - from) - within(from, to, done);
    }

    private static long within(long from, long to, List<Run> runs) {
        return runs.stream()
                .mapToLong(run -> Math.max(0, Math.min(to, run.to()) - Math.max(from, run.from())))
                .sum();
    }

    private static List<String> ofLog(
            long committed, CommitMetadata metadata, @Nullable Long start, @Nullable Long end) {
        List<String> warnings = new ArrayList<>();
        if (start != null && committed < start) {
            long deleted = start - committed;
            long lost = deleted - within(committed, start, metadata.done());
            warnings.add("the log begins " + offsets(deleted) + " above the committed one, and "
                    + (lost == 0 ? "all of them are named done" : lost + " of them are not named done")
                    + ": auto.offset.reset decides where a restart begins");
        }
        if (end != null && committed > end) {
            warnings.add("the committed offset is " + offsets(committed - end)
                    + " beyond the log's end: the topic was made anew, or its log was cut");
        } else if (end != null
                && !metadata.done().isEmpty()
                && metadata.done().getLast().to() > end) {
            warnings.add("the map names offsets done that are beyond the log's end: its log was cut");
        }
        return warnings;
    }

    private static List<String> ofEpoch(@Nullable Integer committed, @Nullable Integer leader) {
        return committed == null || leader == null || committed <= leader
                ? List.of()
                : List.of("the committed leader epoch " + committed + " is newer than the log's " + leader
                        + ": the topic was made anew, and clients that start here may read nothing");
    }

    private static List<String> ofMetadata(CommitMetadata metadata, int limit) {
        List<String> warnings = new ArrayList<>();
        if (metadata.isUnreadable()) {
            warnings.add("its map cannot be read (" + metadata.reason()
                    + "): a restart handles again what was done beyond the committed offset");
        }
        if (metadata.encoding() != null && metadata.chars() > limit / 4 * 3) {
            warnings.add("its map has " + metadata.chars() + " of the " + limit
                    + " characters that a broker takes: as it fills up, nothing more of the partition is read");
        }
        return warnings;
    }

    private static String offsets(long count) {
        return count == 1 ? "1 offset" : count + " offsets";
    }
}
