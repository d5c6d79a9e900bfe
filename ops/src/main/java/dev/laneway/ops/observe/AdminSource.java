package dev.laneway.ops.observe;

import dev.laneway.ops.GroupLag;
import dev.laneway.ops.GroupMember;
import dev.laneway.ops.LagFailure;
import dev.laneway.ops.LagMonitor;
import dev.laneway.ops.LagOptions;
import dev.laneway.ops.PartitionLag;
import dev.laneway.ops.RecordProbe;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.DescribeConfigsOptions;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;

/**
 * What the Admin API tells of a group: its members, its lag, how long its topics keep records. Needs the right DESCRIBE
 * on the group and its topics; without DESCRIBE_CONFIGS on a topic it leaves out how long that is kept.
 */
public final class AdminSource implements Source {
    private static final String NAME = "admin";

    private final Admin admin;
    private final String group;
    private final LagMonitor monitor;
    private final Map<String, Map<String, Double>> retention = new HashMap<>();
    private @Nullable GroupLag latest;

    /**
     * @param limit how long a round may take
     * @param probe reads a waiting record, which tells a transaction's marker from a record
     */
    public AdminSource(Admin admin, String group, LagOptions limit, RecordProbe probe) {
        this.admin = admin;
        this.group = group;
        this.monitor = new LagMonitor(admin, limit, probe);
    }

    @Override
    public String name() {
        return NAME;
    }

    /** The lag that the latest read has seen, with more than the sample tells; null if that has failed. */
    public @Nullable GroupLag latest() {
        return latest;
    }

    @Override
    public Sample read(Duration limit) {
        GroupLag lag;
        latest = null;
        try {
            lag = monitor.sample(group);
            latest = lag;
        } catch (LagFailure failed) {
            String message = Objects.requireNonNull(failed.getMessage());
            throw isTimeout(failed.getCause())
                    ? SourceFailure.unreachable(message, failed)
                    : new SourceFailure(message, failed);
        }
        SampleBuilder sample = new SampleBuilder();
        sample.put(Groups.GROUP, "group", lag.group());
        sample.put(Groups.GROUP, "state", lag.state());
        sample.put(Groups.GROUP, "kind", lag.kind().name());
        sample.put(Groups.GROUP, "members", lag.members().size());
        sample.put(Groups.GROUP, "partitions", lag.partitions().size());
        for (int i = 0; i < lag.problems().size(); i++) {
            sample.put(
                    Groups.GROUP,
                    "problem",
                    Map.of("n", Integer.toString(i)),
                    lag.problems().get(i));
        }
        Map<TopicPartition, String> owners = new HashMap<>();
        for (GroupMember member : lag.members()) {
            Map<String, String> tags = Map.of(
                    "member-id",
                    member.id(),
                    "client-id",
                    member.clientId(),
                    "host",
                    member.host(),
                    "instance-id",
                    Objects.requireNonNullElse(member.instanceId(), ""));
            sample.put(
                    Groups.MEMBER,
                    "assigned-partitions",
                    tags,
                    member.partitions().size());
            member.partitions().forEach(id -> owners.put(id, member.id()));
        }
        Set<String> topics = new HashSet<>();
        for (PartitionLag partition : lag.partitions()) {
            add(sample, partition, owners.get(partition.partition()));
            topics.add(partition.partition().topic());
        }
        replicas(topics, limit, sample);
        retention(topics, limit);
        topics.forEach(topic -> retention
                .getOrDefault(topic, Map.of())
                .forEach((name, value) -> sample.put(Groups.TOPIC, name, Map.of("topic", topic), value)));
        return sample.build(NAME, System.currentTimeMillis());
    }

    private static boolean isTimeout(@Nullable Throwable cause) {
        for (Throwable at = cause; at != null; at = at.getCause()) {
            if (at instanceof TimeoutException || at instanceof org.apache.kafka.common.errors.TimeoutException) {
                return true;
            }
        }
        return false;
    }

    private static void add(SampleBuilder sample, PartitionLag lag, @Nullable String owner) {
        TopicPartition id = lag.partition();
        Map<String, String> tags = Map.of("topic", id.topic(), "partition", Integer.toString(id.partition()));
        sample.put(Groups.PARTITION, "committed", tags, lag.committed());
        sample.put(Groups.PARTITION, "start", tags, lag.start());
        sample.put(Groups.PARTITION, "end", tags, lag.end());
        sample.put(Groups.PARTITION, "lag", tags, lag.lag());
        sample.put(Groups.PARTITION, "done-beyond", tags, lag.doneBeyond());
        sample.put(
                Groups.PARTITION,
                "age-seconds",
                tags,
                lag.age() == null ? null : lag.age().low());
        sample.put(Groups.PARTITION, "slope", tags, lag.slope());
        sample.put(Groups.PARTITION, "status", tags, lag.status().name());
        sample.put(Groups.PARTITION, "evidence", tags, lag.evidence());
        if (owner != null) {
            sample.put(Groups.PARTITION, "member", tags, owner);
        }
    }

    /** Who has the partitions; what brokers do not tell in time is left out. */
    private void replicas(Set<String> topics, Duration limit, SampleBuilder sample) {
        int millis = (int) Math.min(Integer.MAX_VALUE, Math.max(1, limit.toMillis()));
        admin.describeTopics(topics, new DescribeTopicsOptions().timeoutMs(millis))
                .topicNameValues()
                .forEach((topic, future) -> {
                    try {
                        for (TopicPartitionInfo partition :
                                future.get(millis, TimeUnit.MILLISECONDS).partitions()) {
                            Map<String, String> tags =
                                    Map.of("topic", topic, "partition", Integer.toString(partition.partition()));
                            Node leader = partition.leader();
                            sample.put(Groups.PARTITION, "leaders", tags, leader == null || leader.isEmpty() ? 0 : 1);
                            sample.put(
                                    Groups.PARTITION,
                                    "replicas",
                                    tags,
                                    partition.replicas().size());
                            sample.put(
                                    Groups.PARTITION,
                                    "in-sync",
                                    tags,
                                    partition.isr().size());
                        }
                    } catch (InterruptedException interrupted) {
                        throw new InterruptException(interrupted);
                    } catch (ExecutionException | TimeoutException missing) {
                        // Its lag tells why.
                    }
                });
    }

    /** Asked once for each topic; a right that is missing is missing in the next round, too. */
    private void retention(Set<String> topics, Duration limit) {
        Map<ConfigResource, String> asked = new HashMap<>();
        for (String topic : topics) {
            if (!retention.containsKey(topic)) {
                asked.put(new ConfigResource(ConfigResource.Type.TOPIC, topic), topic);
            }
        }
        if (asked.isEmpty()) {
            return;
        }
        int millis = (int) Math.min(Integer.MAX_VALUE, Math.max(1, limit.toMillis()));
        admin.describeConfigs(asked.keySet(), new DescribeConfigsOptions().timeoutMs(millis))
                .values()
                .forEach((resource, future) -> {
                    String topic = Objects.requireNonNull(asked.get(resource));
                    try {
                        retention.put(topic, retention(future.get(millis, TimeUnit.MILLISECONDS)));
                    } catch (InterruptedException interrupted) {
                        throw new InterruptException(interrupted);
                    } catch (ExecutionException | TimeoutException missing) {
                        retention.put(topic, Map.of());
                    }
                });
    }

    private static Map<String, Double> retention(Config config) {
        Map<String, Double> known = new HashMap<>();
        ConfigEntry policy = config.get(TopicConfig.CLEANUP_POLICY_CONFIG);
        if (policy == null || !policy.value().contains(TopicConfig.CLEANUP_POLICY_DELETE)) {
            return known;
        }
        ConfigEntry millis = config.get(TopicConfig.RETENTION_MS_CONFIG);
        if (millis != null && Long.parseLong(millis.value()) >= 0) {
            known.put("retention-ms", Double.valueOf(millis.value()));
        }
        ConfigEntry bytes = config.get(TopicConfig.RETENTION_BYTES_CONFIG);
        if (bytes != null && Long.parseLong(bytes.value()) >= 0) {
            known.put("retention-bytes", Double.valueOf(bytes.value()));
        }
        return known;
    }

    /** The admin client stays its owner's. */
    @Override
    public void close() {}
}
