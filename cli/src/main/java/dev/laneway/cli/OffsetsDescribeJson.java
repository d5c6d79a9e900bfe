package dev.laneway.cli;

import dev.laneway.ops.CommitMap.SpilledKey;
import dev.laneway.ops.CommitMetadata;
import dev.laneway.ops.CommitTotals;
import dev.laneway.ops.GroupCommits;
import dev.laneway.ops.PartitionCommit;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a group has committed, for {@code --json}. */
final class OffsetsDescribeJson {
    private OffsetsDescribeJson() {}

    static Map<String, @Nullable Object> of(GroupCommits commits) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("group", commits.group());
        json.put("kind", name(commits.kind()));
        json.put("state", commits.state());
        json.put("members", commits.members());
        json.put("metadata_limit", commits.metadataLimit());
        json.putAll(totals(commits.totals()));
        json.put("complete", commits.isComplete());
        json.put("problems", commits.problems());
        List<Map<String, Object>> topics = new ArrayList<>();
        commits.totalsByTopic().forEach((topic, totals) -> topics.add(topic(topic, totals)));
        json.put("topics", topics);
        json.put(
                "offsets",
                commits.partitions().stream()
                        .map(OffsetsDescribeJson::partition)
                        .toList());
        return json;
    }

    static Map<String, Object> topic(String topic, CommitTotals totals) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("topic", topic);
        json.putAll(totals(totals));
        return json;
    }

    private static Map<String, Object> totals(CommitTotals totals) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("partitions", totals.partitions());
        json.put("uncommitted", totals.uncommitted());
        json.put("warned", totals.warned());
        json.put("lag", totals.lag());
        json.put("done_beyond", totals.doneBeyond());
        json.put("to_do", totals.toDo());
        return json;
    }

    static Map<String, @Nullable Object> partition(PartitionCommit commit) {
        CommitMetadata metadata = commit.metadata();
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("topic", commit.partition().topic());
        json.put("partition", commit.partition().partition());
        json.put("committed", commit.committed());
        json.put("leader_epoch", commit.leaderEpoch());
        json.put("start", commit.start());
        json.put("end", commit.end());
        json.put("lag", commit.lag());
        json.put("done_beyond", commit.doneBeyond());
        json.put("last_done", commit.lastDone());
        json.put("to_do", commit.toDo());
        json.put(
                "undone",
                commit.undone().stream()
                        .map(run -> List.of(run.from(), run.to() - 1))
                        .toList());
        json.put(
                "spilled_keys",
                metadata.keys().stream().map(OffsetsDescribeJson::spilled).toList());
        json.put("lane_key", metadata.laneKey() == null ? null : HexFormat.of().toHexDigits(metadata.laneKey()));
        json.put("writer", name(metadata.writer()));
        json.put("encoding", metadata.encoding());
        json.put("chars", metadata.chars());
        json.put("reason", metadata.reason());
        json.put("warnings", commit.warnings());
        json.put("complete", commit.isComplete());
        return json;
    }

    private static Map<String, Object> spilled(SpilledKey key) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("hash", HexFormat.of().toHexDigits(key.hash()));
        json.put("from", key.from());
        return json;
    }

    private static String name(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
