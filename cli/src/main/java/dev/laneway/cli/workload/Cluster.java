package dev.laneway.cli.workload;

import dev.laneway.cli.program.Text;
import dev.laneway.cli.program.VerbFailure;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.ListShareGroupOffsetsSpec;
import org.apache.kafka.clients.admin.NewPartitionReassignment;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.SharePartitionOffsetInfo;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.ElectionType;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.ElectionNotNeededException;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The admin requests of the verbs. No call waits longer than the limit. Used by one thread. */
public final class Cluster implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Cluster.class);
    private static final long METADATA_PAUSE_NANOS = Duration.ofMillis(20).toNanos();

    private final Admin admin;
    private final String bootstrap;
    private final Duration limit;

    private Cluster(Admin admin, String bootstrap, Duration limit) {
        this.admin = admin;
        this.bootstrap = bootstrap;
        this.limit = limit;
    }

    /**
     * Connects, and makes sure that a broker answers.
     *
     * @throws VerbFailure when none does within the limit
     */
    public static Cluster connect(Map<String, Object> kafkaConfig, Duration limit) {
        String bootstrap = String.valueOf(kafkaConfig.get(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG));
        Map<String, Object> config = new HashMap<>(kafkaConfig);
        int millis = Math.clamp(limit.toMillis(), 1, Integer.MAX_VALUE);
        config.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, millis);
        config.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, millis);
        Cluster cluster;
        try {
            cluster = new Cluster(Admin.create(config), bootstrap, limit);
        } catch (KafkaException refused) {
            throw new VerbFailure("cannot connect to " + bootstrap + ": " + rootMessage(refused), refused);
        }
        try {
            cluster.get("reach the cluster", cluster.admin.describeCluster().nodes());
            return cluster;
        } catch (VerbFailure noAnswer) {
            cluster.close();
            throw noAnswer;
        }
    }

    /** How many partitions a topic has; empty when it does not exist. */
    public OptionalInt partitions(String topic) {
        return describe(topic).stream()
                .mapToInt(description -> description.partitions().size())
                .findFirst();
    }

    private Optional<TopicDescription> describe(String topic) {
        try {
            return get(
                            "describe topic " + topic,
                            admin.describeTopics(List.of(topic)).allTopicNames())
                    .values()
                    .stream()
                    .findFirst();
        } catch (VerbFailure failed) {
            if (failed.getCause() instanceof UnknownTopicOrPartitionException) {
                return Optional.empty();
            }
            throw failed;
        }
    }

    /**
     * Creates a topic with the broker's own replication factor, unless it exists. Returns how many partitions it has.
     */
    public int ensureTopic(String topic, int partitions) {
        OptionalInt existing = partitions(topic);
        if (existing.isPresent()) {
            return existing.getAsInt();
        }
        NewTopic request = new NewTopic(topic, Optional.of(partitions), Optional.empty());
        try {
            get("create topic " + topic, admin.createTopics(List.of(request)).all());
        } catch (VerbFailure failed) {
            // Another process has created it.
            if (!(failed.getCause() instanceof TopicExistsException)) {
                throw failed;
            }
        }
        awaitLeaders(topic, partitions);
        return partitions;
    }

    /**
     * The creation is answered before every broker knows the topic and before its partitions have leaders. An
     * idempotent producer must not start so early: if a leader refuses its first batch and takes the second, it refuses
     * the first for ever. So each leader is asked for its end offset. The client repeats that by itself, except if a
     * broker does not know the topic yet.
     */
    private void awaitLeaders(String topic, int partitions) {
        long deadline = System.nanoTime() + limit.toNanos();
        while (!isLed(topic, partitions)) {
            if (System.nanoTime() - deadline > 0) {
                throw new VerbFailure(
                        "topic " + topic + " was created but not all brokers know it within " + Text.duration(limit));
            }
            LockSupport.parkNanos(METADATA_PAUSE_NANOS);
        }
    }

    private boolean isLed(String topic, int partitions) {
        if (partitions(topic).isEmpty()) {
            return false;
        }
        try {
            return endOffsets(topic, partitions).size() == partitions;
        } catch (VerbFailure failed) {
            if (failed.getCause() instanceof UnknownTopicOrPartitionException) {
                return false;
            }
            throw failed;
        }
    }

    /** The offset that the next record of each partition gets. */
    public Map<TopicPartition, Long> endOffsets(String topic, int partitions) {
        return endOffsets(topic, partitions, IsolationLevel.READ_UNCOMMITTED);
    }

    /** How far a reader of committed records gets: up to the first open transaction. */
    public Map<TopicPartition, Long> stableEndOffsets(String topic, int partitions) {
        return endOffsets(topic, partitions, IsolationLevel.READ_COMMITTED);
    }

    private Map<TopicPartition, Long> endOffsets(String topic, int partitions, IsolationLevel isolation) {
        Map<TopicPartition, OffsetSpec> request = new HashMap<>();
        for (int partition = 0; partition < partitions; partition++) {
            request.put(new TopicPartition(topic, partition), OffsetSpec.latest());
        }
        Map<TopicPartition, Long> ends = new HashMap<>();
        Map<TopicPartition, ListOffsetsResultInfo> answer = get(
                "read the end offsets of " + topic,
                admin.listOffsets(request, new ListOffsetsOptions(isolation)).all());
        answer.forEach((partition, info) -> ends.put(partition, info.offset()));
        return ends;
    }

    /** Whether the group has committed the end of every partition; an empty one needs no commit. */
    public boolean isAllCommitted(String group, String topic, int partitions) {
        return uncommitted(group, topic, partitions).values().stream().allMatch(records -> records == 0);
    }

    /** How far the group's commits are from the end of each partition. */
    public Map<TopicPartition, Long> uncommitted(String group, String topic, int partitions) {
        Map<TopicPartition, @Nullable OffsetAndMetadata> committed = get(
                "read the offsets of group " + group,
                admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata());
        Map<TopicPartition, Long> left = new HashMap<>();
        endOffsets(topic, partitions).forEach((id, end) -> {
            OffsetAndMetadata offset = committed.get(id);
            left.put(id, end - (offset == null ? 0 : offset.offset()));
        });
        return left;
    }

    /** How many records of each partition a share group has not finished, those included that it has not begun. */
    public Map<TopicPartition, Long> unshared(String group, String topic, int partitions) {
        Map<TopicPartition, SharePartitionOffsetInfo> starts = get(
                "read the offsets of share group " + group,
                admin.listShareGroupOffsets(Map.of(group, new ListShareGroupOffsetsSpec()))
                        .partitionsToOffsetInfo(group));
        Map<TopicPartition, Long> left = new HashMap<>();
        endOffsets(topic, partitions).forEach((id, end) -> {
            SharePartitionOffsetInfo start = starts.get(id);
            // Records beyond the start offset may be done; the brokers' lag leaves those out.
            left.put(id, start == null ? end : start.lag().orElse(end - start.startOffset()));
        });
        return left;
    }

    /** Sets a property of a group, such as where it starts. */
    public void configureGroup(String group, String property, String value) {
        AlterConfigOp op = new AlterConfigOp(new ConfigEntry(property, value), AlterConfigOp.OpType.SET);
        get(
                "set " + property + " of group " + group,
                admin.incrementalAlterConfigs(Map.of(new ConfigResource(ConfigResource.Type.GROUP, group), List.of(op)))
                        .all());
    }

    /**
     * Whether the group is stable and each partition of these topics has an owner. True if this client may not describe
     * the group.
     */
    public boolean isSharedOut(String group, List<String> topics) {
        try {
            ConsumerGroupDescription members = Objects.requireNonNull(get(
                            "describe group " + group,
                            admin.describeConsumerGroups(List.of(group)).all())
                    .get(group));
            Set<TopicPartition> owned = new HashSet<>();
            members.members().forEach(member -> owned.addAll(member.assignment().topicPartitions()));
            return members.groupState() == GroupState.STABLE && owned.containsAll(partitions(topics));
        } catch (VerbFailure failed) {
            if (failed.getCause() instanceof AuthorizationException) {
                LOG.warn("{}: how the partitions are shared out is not looked at", failed.getMessage());
                return true;
            }
            if (failed.getCause() instanceof GroupIdNotFoundException) {
                return false;
            }
            throw failed;
        }
    }

    private Set<TopicPartition> partitions(List<String> topics) {
        Set<TopicPartition> all = new HashSet<>();
        get("describe " + topics, admin.describeTopics(topics).allTopicNames())
                .values()
                .forEach(topic -> topic.partitions()
                        .forEach(partition -> all.add(new TopicPartition(topic.name(), partition.partition()))));
        return all;
    }

    /** How many brokers are in service. */
    public int brokers() {
        return get("list the brokers", admin.describeCluster().nodes()).size();
    }

    /** Whether every partition of these topics has so many replicas in sync. */
    public boolean isInSync(List<String> topics, int replicas) {
        return get("describe " + topics, admin.describeTopics(topics).allTopicNames()).values().stream()
                .flatMap(topic -> topic.partitions().stream())
                .allMatch(partition -> partition.isr().size() == replicas);
    }

    /** The id of a topic, which changes when it is created again; empty if it does not exist. */
    public Optional<Uuid> topicId(String topic) {
        return describe(topic).map(TopicDescription::topicId);
    }

    public void deleteTopic(String topic) {
        get("delete topic " + topic, admin.deleteTopics(List.of(topic)).all());
    }

    /** The leader of each partition of these topics; those without one are left out. */
    public Map<TopicPartition, Integer> leaders(List<String> topics) {
        Map<TopicPartition, Integer> leaders = new HashMap<>();
        get("describe " + topics, admin.describeTopics(topics).allTopicNames())
                .forEach((topic, description) -> description.partitions().forEach(partition -> {
                    if (partition.leader() != null) {
                        leaders.put(
                                new TopicPartition(topic, partition.partition()),
                                partition.leader().id());
                    }
                }));
        return leaders;
    }

    /**
     * Gives partitions other replicas, or theirs in another order, and waits until they are in sync.
     *
     * @param atMost how long is waited for them
     */
    public void reassign(Map<TopicPartition, List<Integer>> replicas, Duration atMost) {
        Map<TopicPartition, Optional<NewPartitionReassignment>> request = new HashMap<>();
        replicas.forEach((id, brokers) -> request.put(id, Optional.of(new NewPartitionReassignment(brokers))));
        get("reassign partitions", admin.alterPartitionReassignments(request).all());
        long deadline = System.nanoTime() + atMost.toNanos();
        while (!get(
                        "list reassignments",
                        admin.listPartitionReassignments(replicas.keySet()).reassignments())
                .isEmpty()) {
            if (System.nanoTime() - deadline > 0) {
                throw new VerbFailure("partitions were not reassigned within " + Text.duration(atMost));
            }
            LockSupport.parkNanos(METADATA_PAUSE_NANOS);
        }
    }

    /** Elects the first replica of each of these partitions, if it does not lead yet. */
    public void electPreferred(Set<TopicPartition> ids) {
        get("elect leaders", admin.electLeaders(ElectionType.PREFERRED, ids).partitions())
                .forEach((id, failed) -> {
                    if (failed.isPresent() && !(failed.get() instanceof ElectionNotNeededException)) {
                        throw new VerbFailure("cannot elect the leader of " + id + ": " + failed.get(), failed.get());
                    }
                });
    }

    /** Removes what a verb made for itself. A failure is ignored, so that it does not hide the verb's result. */
    public void deleteQuietly(Collection<String> topics, Collection<String> groups) {
        quietly("delete groups " + groups, admin.deleteConsumerGroups(groups).all());
        quietly("delete topics " + topics, admin.deleteTopics(topics).all());
    }

    private void quietly(String what, KafkaFuture<Void> future) {
        try {
            get(what, future);
        } catch (VerbFailure failed) {
            if (!(failed.getCause() instanceof GroupIdNotFoundException)) {
                LOG.warn("{}", failed.getMessage());
            }
        }
    }

    private <T> T get(String what, KafkaFuture<T> future) {
        try {
            return future.get(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException failed) {
            Throwable cause = failed.getCause() == null ? failed : failed.getCause();
            throw cause instanceof org.apache.kafka.common.errors.TimeoutException
                    ? noAnswer(what, cause)
                    : new VerbFailure("cannot " + what + " at " + bootstrap + ": " + rootMessage(cause), cause);
        } catch (TimeoutException late) {
            throw noAnswer(what, late);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new VerbFailure("interrupted while waiting to " + what, interrupted);
        }
    }

    private VerbFailure noAnswer(String what, Throwable cause) {
        return new VerbFailure(
                "cannot " + what + ": no broker answers at " + bootstrap + " within " + Text.duration(limit)
                        + "; check --bootstrap and the security properties, or start a broker with: laneway broker",
                cause);
    }

    private static String rootMessage(Throwable failure) {
        Throwable root = failure;
        for (Throwable cause = root.getCause(); cause != null; cause = cause.getCause()) {
            root = cause;
        }
        return root.getMessage() == null ? root.toString() : root.getMessage();
    }

    @Override
    public void close() {
        admin.close(limit);
    }
}
