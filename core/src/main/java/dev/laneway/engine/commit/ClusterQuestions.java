package dev.laneway.engine.commit;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.DescribeClusterOptions;
import org.apache.kafka.clients.admin.DescribeConfigsOptions;
import org.apache.kafka.clients.admin.DescribeFeaturesOptions;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.FeatureMetadata;
import org.apache.kafka.clients.admin.FinalizedVersionRange;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/**
 * Questions to one cluster, each within a limit, through a client of their own that is made with the first. Whatever is
 * not answered, or refused, is no finding: it is missing in the answer. One thread, but for {@link #close}.
 */
public final class ClusterQuestions {
    /** What a client that only asks has no use for. */
    private static final Set<String> NOT_TAKEN = Set.of(
            AdminClientConfig.CLIENT_ID_CONFIG,
            AdminClientConfig.METRIC_REPORTER_CLASSES_CONFIG,
            AdminClientConfig.ENABLE_METRICS_PUSH_CONFIG);

    private static final String AUTO_CREATE = "auto.create.topics.enable";

    private final Map<String, Object> properties;
    private final int limitMs;
    private final boolean readsCommitted;
    private @Nullable Boolean createsTopics;
    private volatile @Nullable Admin client;
    private volatile boolean closed;

    private ClusterQuestions(Map<String, Object> properties, Duration limit, boolean readsCommitted) {
        this.properties = properties;
        this.limitMs = Math.clamp(limit.toMillis(), 1, 60_000);
        this.readsCommitted = readsCommitted;
    }

    /**
     * Questions with the connection of another client.
     *
     * @param of that client's properties
     * @param limit how long an answer is waited for
     */
    public static ClusterQuestions as(Map<String, Object> of, Duration limit, boolean readsCommitted) {
        return new ClusterQuestions(connection(of), limit, readsCommitted);
    }

    /** Those properties of a client that an administrative one connects with. */
    static Map<String, Object> connection(Map<String, Object> of) {
        Map<String, Object> own = new HashMap<>();
        of.forEach((name, value) -> {
            boolean connects = AdminClientConfig.configNames().contains(name) && !NOT_TAKEN.contains(name);
            // What logs in, and where secrets are looked up, may have properties that Kafka does not know.
            if (connects || name.startsWith("sasl.") || name.startsWith("ssl.") || name.startsWith("config.prov")) {
                own.put(name, value);
            }
        });
        own.put(AdminClientConfig.ENABLE_METRICS_PUSH_CONFIG, "false");
        return own;
    }

    /** Whether the other asks the same brokers, as the same user. */
    public boolean isLike(ClusterQuestions other) {
        return properties.equals(other.properties);
    }

    /** Whether any broker answers. */
    public boolean isAnswered() {
        return get(admin().describeCluster(new DescribeClusterOptions().timeoutMs(limitMs))
                        .clusterId())
                != null;
    }

    /** The level at which the cluster has a feature, 0 if it has none of that name; empty when nobody answers. */
    OptionalInt feature(String name) {
        FeatureMetadata features = get(admin().describeFeatures(new DescribeFeaturesOptions().timeoutMs(limitMs))
                .featureMetadata());
        if (features == null) {
            return OptionalInt.empty();
        }
        FinalizedVersionRange level = features.finalizedFeatures().get(name);
        return OptionalInt.of(level == null ? 0 : level.maxVersionLevel());
    }

    /** Those of the topics of which the answer says whether they exist; an empty description says that one does not. */
    public Map<String, Optional<TopicDescription>> topics(Collection<String> names) {
        Map<String, Optional<TopicDescription>> found = new HashMap<>();
        admin().describeTopics(names, new DescribeTopicsOptions().timeoutMs(limitMs))
                .topicNameValues()
                .forEach((name, answer) -> {
                    try {
                        found.put(name, Optional.of(answer.get()));
                    } catch (ExecutionException failure) {
                        if (failure.getCause() instanceof UnknownTopicOrPartitionException
                                || failure.getCause() instanceof InvalidTopicException) {
                            found.put(name, Optional.empty());
                        }
                    } catch (InterruptedException end) {
                        Thread.currentThread().interrupt();
                    }
                });
        return found;
    }

    /** Where the logs end, as far as readers see them. */
    public Map<TopicPartition, Long> ends(Collection<TopicPartition> partitions) {
        return offsets(partitions, OffsetSpec.latest());
    }

    /** Where the logs begin. */
    public Map<TopicPartition, Long> starts(Collection<TopicPartition> partitions) {
        return offsets(partitions, OffsetSpec.earliest());
    }

    private Map<TopicPartition, Long> offsets(Collection<TopicPartition> partitions, OffsetSpec which) {
        Map<TopicPartition, OffsetSpec> asked = new HashMap<>();
        partitions.forEach(id -> asked.put(id, which));
        ListOffsetsOptions options = new ListOffsetsOptions(
                readsCommitted ? IsolationLevel.READ_COMMITTED : IsolationLevel.READ_UNCOMMITTED);
        options.timeoutMs(limitMs);
        ListOffsetsResult result = admin().listOffsets(asked, options);
        Map<TopicPartition, Long> found = new HashMap<>();
        for (TopicPartition id : partitions) {
            ListOffsetsResult.ListOffsetsResultInfo offset = get(result.partitionResult(id));
            if (offset != null) {
                found.put(id, offset.offset());
            }
        }
        return found;
    }

    /** What topics do with old records; empty for one whose configuration this user may not read. */
    public Map<String, Optional<TopicRetention>> retention(Collection<String> topics) {
        List<ConfigResource> resources = topics.stream()
                .map(topic -> new ConfigResource(ConfigResource.Type.TOPIC, topic))
                .toList();
        Map<String, Optional<TopicRetention>> found = new HashMap<>();
        admin().describeConfigs(resources, new DescribeConfigsOptions().timeoutMs(limitMs))
                .values()
                .forEach((resource, answer) -> {
                    try {
                        found.put(resource.name(), Optional.of(TopicRetention.of(answer.get())));
                    } catch (ExecutionException failure) {
                        if (failure.getCause() instanceof AuthorizationException) {
                            found.put(resource.name(), Optional.empty());
                        }
                    } catch (InterruptedException end) {
                        Thread.currentThread().interrupt();
                    }
                });
        return found;
    }

    /** Whether the brokers are known to create a topic when a client asks for it. */
    public boolean createsTopics() {
        Boolean known = createsTopics;
        if (known == null) {
            known = askWhetherTopicsAreCreated();
            createsTopics = known;
        }
        return known;
    }

    private boolean askWhetherTopicsAreCreated() {
        Collection<Node> nodes = get(admin().describeCluster(new DescribeClusterOptions().timeoutMs(limitMs))
                .nodes());
        if (nodes == null || nodes.isEmpty()) {
            return false;
        }
        ConfigResource broker = new ConfigResource(
                ConfigResource.Type.BROKER, nodes.iterator().next().idString());
        Config config = get(admin().describeConfigs(List.of(broker), new DescribeConfigsOptions().timeoutMs(limitMs))
                .values()
                .get(broker));
        return config != null
                && config.get(AUTO_CREATE) != null
                && "true".equals(config.get(AUTO_CREATE).value());
    }

    private static <T> @Nullable T get(@Nullable KafkaFuture<T> answer) {
        try {
            return answer == null ? null : answer.get();
        } catch (ExecutionException noAnswer) {
            return null;
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
            return null;
        }
    }

    private Admin admin() {
        Admin made = client;
        if (made == null) {
            made = Admin.create(properties);
            client = made;
            if (closed) {
                made.close(Duration.ZERO);
            }
        }
        return made;
    }

    /** Ends the client, and whoever waits for it; any thread. */
    public void close() {
        closed = true;
        Admin made = client;
        if (made != null) {
            made.close(Duration.ZERO);
        }
    }
}
