package dev.laneway.ops;

import dev.laneway.ops.GroupFacts.Position;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.DescribeConsumerGroupsOptions;
import org.apache.kafka.clients.admin.DescribeShareGroupsOptions;
import org.apache.kafka.clients.admin.DescribeStreamsGroupsOptions;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsOptions;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsSpec;
import org.apache.kafka.clients.admin.ListShareGroupOffsetsOptions;
import org.apache.kafka.clients.admin.ListShareGroupOffsetsSpec;
import org.apache.kafka.clients.admin.ListStreamsGroupOffsetsOptions;
import org.apache.kafka.clients.admin.ListStreamsGroupOffsetsSpec;
import org.apache.kafka.clients.admin.ShareGroupDescription;
import org.apache.kafka.clients.admin.StreamsGroupDescription;
import org.apache.kafka.clients.admin.StreamsGroupMemberAssignment;
import org.apache.kafka.clients.admin.StreamsGroupSubtopologyDescription;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.jspecify.annotations.Nullable;

/**
 * Two requests about a group, which are under way together: who its members are, and where it is. Used by one thread.
 */
final class GroupRead {
    private final String group;
    private final GroupKind kind;
    private final KafkaFuture<Members> members;
    private final KafkaFuture<Map<TopicPartition, Position>> positions;

    private GroupRead(
            String group,
            GroupKind kind,
            KafkaFuture<Members> members,
            KafkaFuture<Map<TopicPartition, Position>> positions) {
        this.group = group;
        this.kind = kind;
        this.members = members;
        this.positions = positions;
    }

    private record Members(
            GroupState state,
            List<GroupMember> all,
            @Nullable Node coordinator) {
        Set<TopicPartition> owned() {
            Set<TopicPartition> owned = new HashSet<>();
            all.forEach(member -> owned.addAll(member.partitions()));
            return owned;
        }
    }

    static GroupRead start(Admin admin, String group, GroupKind kind, int limitMillis) {
        List<String> ids = List.of(group);
        return switch (kind) {
            case CLASSIC, CONSUMER ->
                new GroupRead(
                        group,
                        kind,
                        Objects.requireNonNull(admin.describeConsumerGroups(
                                                ids, new DescribeConsumerGroupsOptions().timeoutMs(limitMillis))
                                        .describedGroups()
                                        .get(group))
                                .thenApply(GroupRead::members),
                        admin.listConsumerGroupOffsets(
                                        Map.of(group, new ListConsumerGroupOffsetsSpec()),
                                        new ListConsumerGroupOffsetsOptions().timeoutMs(limitMillis))
                                .partitionsToOffsetAndMetadata(group)
                                .thenApply(commits -> positions(commits, Position::of)));
            case STREAMS ->
                new GroupRead(
                        group,
                        kind,
                        Objects.requireNonNull(admin.describeStreamsGroups(
                                                ids, new DescribeStreamsGroupsOptions().timeoutMs(limitMillis))
                                        .describedGroups()
                                        .get(group))
                                .thenApply(GroupRead::members),
                        admin.listStreamsGroupOffsets(
                                        Map.of(group, new ListStreamsGroupOffsetsSpec()),
                                        new ListStreamsGroupOffsetsOptions().timeoutMs(limitMillis))
                                .partitionsToOffsetAndMetadata(group)
                                .thenApply(commits -> positions(commits, Position::of)));
            case SHARE ->
                new GroupRead(
                        group,
                        kind,
                        Objects.requireNonNull(admin.describeShareGroups(
                                                ids, new DescribeShareGroupsOptions().timeoutMs(limitMillis))
                                        .describedGroups()
                                        .get(group))
                                .thenApply(GroupRead::members),
                        admin.listShareGroupOffsets(
                                        Map.of(group, new ListShareGroupOffsetsSpec()),
                                        new ListShareGroupOffsetsOptions().timeoutMs(limitMillis))
                                .partitionsToOffsetInfo(group)
                                .thenApply(infos -> positions(infos, Position::of)));
        };
    }

    /** Waits for both. What has no answer is a problem of the facts. */
    GroupFacts finish(Answers answers) {
        List<String> problems = new ArrayList<>();
        Answers.Answer<Members> described = answers.of(members);
        Answers.Answer<Map<TopicPartition, Position>> listed = answers.of(positions);
        boolean isGone = described.failure() instanceof GroupIdNotFoundException
                || listed.failure() instanceof GroupIdNotFoundException;
        if (described.failure() != null) {
            problems.add(answers.reason("members of group " + group, described.failure()));
        }
        if (listed.failure() != null) {
            problems.add(answers.reason("committed offsets of group " + group, listed.failure()));
        }
        Members known = described.value();
        Map<TopicPartition, Position> found = listed.value();
        return new GroupFacts(
                group,
                kind,
                known == null ? "Unknown" : known.state().toString(),
                known == null ? List.of() : known.all(),
                isGone,
                known == null ? Set.of() : known.owned(),
                known != null && !GroupFacts.isRebalancing(known.state()),
                found == null ? Map.of() : found,
                found != null,
                coordinator(known),
                problems);
    }

    private static @Nullable Integer coordinator(@Nullable Members known) {
        Node node = known == null ? null : known.coordinator();
        return node == null || node.isEmpty() ? null : (Integer) node.id();
    }

    private static <T> Map<TopicPartition, Position> positions(
            Map<TopicPartition, T> found, Function<T, Position> position) {
        Map<TopicPartition, Position> positions = new HashMap<>();
        found.forEach((partition, value) -> positions.put(partition, position.apply(value)));
        return positions;
    }

    private static Members members(ConsumerGroupDescription group) {
        List<GroupMember> all = group.members().stream()
                .map(member -> new GroupMember(
                        member.consumerId(),
                        member.clientId(),
                        member.host(),
                        member.groupInstanceId().orElse(null),
                        member.assignment().topicPartitions()))
                .toList();
        return new Members(group.groupState(), all, group.coordinator());
    }

    private static Members members(ShareGroupDescription group) {
        List<GroupMember> all = group.members().stream()
                .map(member -> new GroupMember(
                        member.consumerId(),
                        member.clientId(),
                        member.host(),
                        null,
                        member.assignment().topicPartitions()))
                .toList();
        return new Members(group.groupState(), all, group.coordinator());
    }

    private static Members members(StreamsGroupDescription group) {
        Map<String, Set<String>> topics = new HashMap<>();
        for (StreamsGroupSubtopologyDescription part : group.subtopologies()) {
            Set<String> sources = new HashSet<>(part.sourceTopics());
            sources.addAll(part.repartitionSourceTopics().keySet());
            topics.put(part.subtopologyId(), sources);
        }
        List<GroupMember> all = new ArrayList<>();
        group.members().forEach(member -> {
            Set<TopicPartition> owned = new HashSet<>();
            for (StreamsGroupMemberAssignment.TaskIds tasks :
                    member.assignment().activeTasks()) {
                for (String topic : topics.getOrDefault(tasks.subtopologyId(), Set.of())) {
                    tasks.partitions().forEach(number -> owned.add(new TopicPartition(topic, number)));
                }
            }
            all.add(new GroupMember(
                    member.memberId(),
                    member.clientId(),
                    member.clientHost(),
                    member.instanceId().orElse(null),
                    owned));
        });
        return new Members(group.groupState(), all, group.coordinator());
    }
}
