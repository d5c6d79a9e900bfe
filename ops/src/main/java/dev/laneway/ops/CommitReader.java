package dev.laneway.ops;

import dev.laneway.ops.CommitRules.LogEdge;
import dev.laneway.ops.GroupFacts.Position;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.DescribeConfigsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.jspecify.annotations.Nullable;

/**
 * Reads what groups have committed, and decodes the maps beside it. Needs only the Admin API, joins no group and
 * changes nothing. Used by one thread; the caller closes the admin client.
 */
public final class CommitReader {
    private static final String METADATA_LIMIT = "offset.metadata.max.bytes";

    private final Admin admin;
    private final Duration limit;
    private final LongSupplier nanos;

    /**
     * Makes a reader; nothing is asked yet.
     *
     * @param limit how long all answers together are waited for
     */
    public CommitReader(Admin admin, Duration limit) {
        this(admin, limit, System::nanoTime);
    }

    CommitReader(Admin admin, Duration limit, LongSupplier nanos) {
        this.admin = admin;
        this.limit = limit;
        this.nanos = nanos;
    }

    /**
     * Reads what one group has committed.
     *
     * @param topics of these topics; of all if it is empty
     * @throws LagFailure if the group does not exist, is a share group or has nothing of such a topic, if the right to
     *     see it is missing, or if no broker answers
     */
    public GroupCommits read(String group, Collection<String> topics) {
        Answers answers = new Answers(nanos, limit.toMillis());
        GroupKind kind = GroupLookup.kindOf(admin, group, answers);
        if (kind == GroupKind.SHARE) {
            throw new LagFailure(
                    "group '" + group + "' is a share group: it acknowledges records and commits no offsets: ask for"
                            + " its lag instead",
                    null);
        }
        GroupFacts facts =
                GroupRead.start(admin, group, kind, answers.leftForRequest()).finish(answers);
        if (facts.isGone()) {
            throw GroupLookup.unknown(group, null);
        }
        if (!facts.arePositionsKnown()) {
            throw new LagFailure(String.join("; ", facts.problems()), null);
        }
        Map<TopicPartition, Position> positions = facts.known();
        if (!topics.isEmpty()) {
            refuseUnknown(group, topics, positions.keySet());
            positions.keySet().removeIf(id -> !topics.contains(id.topic()));
        }
        // Under way together with the next requests, which may take all of the time that is left.
        KafkaFuture<Integer> asked = metadataLimit(facts.coordinator(), answers);
        // After the commits: so the lag is never too low.
        OffsetBounds bounds = OffsetBounds.read(admin, positions.keySet(), IsolationLevel.READ_UNCOMMITTED, answers);
        Integer most = answers.of(asked).value();
        List<PartitionCommit> partitions = new ArrayList<>(positions.size());
        positions.forEach((id, position) -> partitions.add(CommitRules.judge(
                id,
                position,
                edge("first offset", bounds.start(id), answers),
                edge("end offset", bounds.end(id), answers),
                most == null ? CommitRules.DEFAULT_LIMIT : most)));
        return new GroupCommits(
                group, facts.kind(), facts.state(), facts.members().size(), most, partitions, facts.problems());
    }

    private static void refuseUnknown(String group, Collection<String> topics, Set<TopicPartition> partitions) {
        Set<String> known = new TreeSet<>();
        partitions.forEach(id -> known.add(id.topic()));
        for (String topic : topics) {
            if (!known.contains(topic)) {
                throw new LagFailure(
                        "group '" + group + "' has committed nothing of topic '" + topic
                                + "', or the right DESCRIBE on it is missing: check the name",
                        null);
            }
        }
    }

    private static LogEdge edge(String what, Answers.Answer<ListOffsetsResultInfo> answer, Answers answers) {
        ListOffsetsResultInfo info = answer.value();
        return info == null
                ? new LogEdge(null, null, answers.reason(what, answer.failure()))
                : new LogEdge(info.offset(), info.leaderEpoch().orElse(null), null);
    }

    /** It takes the right to see the configuration of brokers, which few have. */
    private KafkaFuture<Integer> metadataLimit(@Nullable Integer broker, Answers answers) {
        if (broker == null) {
            return KafkaFuture.completedFuture(null);
        }
        ConfigResource resource = new ConfigResource(ConfigResource.Type.BROKER, broker.toString());
        KafkaFuture<Config> config = Objects.requireNonNull(admin.describeConfigs(
                        List.of(resource), new DescribeConfigsOptions().timeoutMs(answers.leftForRequest()))
                .values()
                .get(resource));
        return config.thenApply(CommitReader::limitOf);
    }

    private static @Nullable Integer limitOf(Config config) {
        ConfigEntry entry = config.get(METADATA_LIMIT);
        return entry == null || entry.value() == null ? null : Integer.valueOf(entry.value());
    }
}
