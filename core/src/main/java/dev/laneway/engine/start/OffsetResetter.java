package dev.laneway.engine.start;

import dev.laneway.BrokerException;
import dev.laneway.ConfigurationException;
import dev.laneway.OffsetReset;
import dev.laneway.StartPosition;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.GroupNotEmptyException;
import org.apache.kafka.common.errors.UnknownMemberIdException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves the committed offsets of a group that has no members. Each call has a client of its own, whose
 * {@code default.api.timeout.ms} limits every question. Thread-safe.
 */
public final class OffsetResetter {
    private static final Logger log = LoggerFactory.getLogger(OffsetResetter.class);

    private final Map<String, Object> config;
    private final String group;
    private final StartPosition to;

    /**
     * Checks what is asked for; nothing is connected yet.
     *
     * @param config Kafka's properties of the group's consumers
     * @param to any position but {@link StartPosition#committed()}
     */
    public OffsetResetter(Map<String, ?> config, StartPosition to) {
        this.config = new HashMap<>(config);
        this.group = String.valueOf(this.config.getOrDefault(ConsumerConfig.GROUP_ID_CONFIG, ""));
        this.to = to;
        if (group.isBlank()) {
            throw new ConfigurationException(
                    ConsumerConfig.GROUP_ID_CONFIG, "not set", "a reset is about one group", "name the group");
        }
        if (to instanceof StartPosition.Committed) {
            throw new ConfigurationException(
                    "the position to reset to",
                    "committed()",
                    "is where the group is already",
                    "give earliest(), latest(), offsets(...) or timestamp(...)");
        }
    }

    /** What {@link #apply} would do; nothing is changed. */
    public OffsetReset plan(Collection<String> topics) {
        try (Admin admin = admin()) {
            return plan(admin, topics);
        }
    }

    /** Commits the new offsets, without metadata: records done beyond the old ones are forgotten, too. */
    public OffsetReset apply(Collection<String> topics) {
        try (Admin admin = admin()) {
            OffsetReset reset = plan(admin, topics);
            Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
            reset.moves().forEach(move -> offsets.put(move.partition(), new OffsetAndMetadata(move.to())));
            answer(
                    "committing the new offsets",
                    admin.alterConsumerGroupOffsets(group, offsets).all());
            log.warn("the committed offsets of group {} were reset, {} partitions: {}", group, offsets.size(), reset);
            return reset;
        }
    }

    private OffsetReset plan(Admin admin, Collection<String> topics) {
        refuseMembers(admin);
        Set<TopicPartition> partitions = partitions(admin, topics);
        Map<TopicPartition, Long> targets = targets(admin, partitions);
        Map<TopicPartition, @Nullable OffsetAndMetadata> committed = answer(
                "reading the committed offsets",
                admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata());
        List<OffsetReset.Move> moves = new ArrayList<>();
        targets.forEach((partition, offset) -> {
            OffsetAndMetadata from = committed.get(partition);
            moves.add(new OffsetReset.Move(
                    partition, from == null ? OptionalLong.empty() : OptionalLong.of(from.offset()), offset));
        });
        moves.sort(
                Comparator.comparing((OffsetReset.Move move) -> move.partition().topic())
                        .thenComparingInt(move -> move.partition().partition()));
        return new OffsetReset(group, moves);
    }

    /** A member would commit its own progress over the new offsets, or never see them. */
    private void refuseMembers(Admin admin) {
        ConsumerGroupDescription described;
        try {
            described = admin.describeConsumerGroups(List.of(group)).all().get().get(group);
        } catch (ExecutionException failure) {
            if (failure.getCause() instanceof GroupIdNotFoundException) {
                return; // Nobody has committed for it yet.
            }
            throw failed("describing the group", failure.getCause());
        } catch (InterruptedException interrupted) {
            throw interrupted();
        }
        if (described != null && !described.members().isEmpty()) {
            throw new BrokerException(
                    "group " + group + " has " + described.members().size() + " members, the first on "
                            + described.members().iterator().next().host()
                            + ", and its offsets can only be reset while it has none: stop its consumers first",
                    null);
        }
    }

    private Set<TopicPartition> partitions(Admin admin, Collection<String> topics) {
        if (to instanceof StartPosition.Offsets(var offsets)) {
            Set<TopicPartition> others = offsets.keySet().stream()
                    .filter(partition -> !topics.contains(partition.topic()))
                    .collect(Collectors.toSet());
            if (!others.isEmpty()) {
                throw new ConfigurationException(
                        "offsets", others, "must be of the topics " + topics, "name their topics, or leave them out");
            }
        }
        return answer("looking for the partitions", admin.describeTopics(topics).allTopicNames()).values().stream()
                .flatMap(topic -> topic.partitions().stream()
                        .map(partition -> new TopicPartition(topic.name(), partition.partition())))
                .collect(Collectors.toSet());
    }

    private Map<TopicPartition, Long> targets(Admin admin, Set<TopicPartition> partitions) {
        return switch (to) {
            case StartPosition.Committed committed -> throw new IllegalStateException(committed + " is refused");
            case StartPosition.Earliest _ -> offsets(admin, partitions, OffsetSpec.earliest());
            case StartPosition.Latest _ -> offsets(admin, partitions, OffsetSpec.latest());
            case StartPosition.Timestamp(var timestamp) -> {
                // The ends first: a record that is written between the two questions must not be skipped.
                Map<TopicPartition, Long> targets = offsets(admin, partitions, OffsetSpec.latest());
                offsets(admin, partitions, OffsetSpec.forTimestamp(timestamp.toEpochMilli()))
                        .forEach((partition, offset) -> {
                            if (offset >= 0) {
                                targets.put(partition, offset);
                            }
                        });
                yield targets;
            }
            case StartPosition.Offsets(var offsets) -> {
                refuseOutside(admin, partitions, offsets);
                yield offsets;
            }
        };
    }

    private void refuseOutside(Admin admin, Set<TopicPartition> partitions, Map<TopicPartition, Long> offsets) {
        Map<TopicPartition, Long> first = offsets(admin, partitions, OffsetSpec.earliest());
        Map<TopicPartition, Long> end = offsets(admin, partitions, OffsetSpec.latest());
        new TreeMap<>(offsets.entrySet().stream()
                        .collect(Collectors.toMap(entry -> entry.getKey().toString(), Function.identity())))
                .values()
                .forEach(entry -> {
                    Long least = first.get(entry.getKey());
                    Long most = end.get(entry.getKey());
                    if (least == null || most == null) {
                        throw new ConfigurationException(
                                "the offset of " + entry.getKey(),
                                entry.getValue(),
                                "that partition does not exist",
                                "leave it out");
                    }
                    if (entry.getValue() < least || entry.getValue() > most) {
                        throw new ConfigurationException(
                                "the offset of " + entry.getKey(),
                                entry.getValue(),
                                "its log reaches from " + least + " to " + most,
                                "give an offset of the log");
                    }
                });
    }

    private Map<TopicPartition, Long> offsets(Admin admin, Set<TopicPartition> partitions, OffsetSpec spec) {
        Map<TopicPartition, OffsetSpec> query = new HashMap<>();
        partitions.forEach(partition -> query.put(partition, spec));
        boolean committed = "read_committed".equals(String.valueOf(config.get(ConsumerConfig.ISOLATION_LEVEL_CONFIG)));
        Map<TopicPartition, Long> offsets = new HashMap<>();
        answer(
                        "looking for the offsets",
                        admin.listOffsets(
                                        query,
                                        new ListOffsetsOptions(
                                                committed
                                                        ? IsolationLevel.READ_COMMITTED
                                                        : IsolationLevel.READ_UNCOMMITTED))
                                .all())
                .forEach((partition, found) -> offsets.put(partition, found.offset()));
        return offsets;
    }

    /** What only consumers know would make the client warn of it. */
    private Admin admin() {
        Set<String> known = AdminClientConfig.configNames();
        Set<String> consumers = ConsumerConfig.configNames();
        Map<String, Object> properties = new HashMap<>(config);
        properties.keySet().removeIf(name -> consumers.contains(name) && !known.contains(name));
        return Admin.create(properties);
    }

    private <T> T answer(String what, KafkaFuture<T> future) {
        try {
            return future.get();
        } catch (ExecutionException failure) {
            throw failed(what, failure.getCause());
        } catch (InterruptedException interrupted) {
            throw interrupted();
        }
    }

    private BrokerException failed(String what, @Nullable Throwable cause) {
        if (cause instanceof UnknownMemberIdException || cause instanceof GroupNotEmptyException) {
            return new BrokerException(
                    "group " + group + " has got members meanwhile, and its offsets can only be reset while it has"
                            + " none: stop its consumers first; nothing was changed",
                    cause);
        }
        if (cause instanceof UnknownTopicOrPartitionException) {
            return new BrokerException(
                    "the offsets of group " + group + " were not reset: one of the topics does not exist: check their"
                            + " names",
                    cause);
        }
        return new BrokerException(
                "the offsets of group " + group + " were not reset: " + what + " failed: "
                        + (cause == null ? "no reason given" : cause.getMessage()),
                cause);
    }

    private BrokerException interrupted() {
        Thread.currentThread().interrupt();
        return new BrokerException("the reset of group " + group + " was interrupted: look at its offsets again", null);
    }
}
