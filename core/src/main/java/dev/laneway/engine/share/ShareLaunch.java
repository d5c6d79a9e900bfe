package dev.laneway.engine.share;

import dev.laneway.CommitMode;
import dev.laneway.ConfigurationException;
import dev.laneway.LaneKey;
import dev.laneway.Laneway;
import dev.laneway.MetadataPolicy;
import dev.laneway.Options;
import dev.laneway.Ordering;
import dev.laneway.StartPosition;
import dev.laneway.WhenMapIsFull;
import dev.laneway.engine.LaunchSettings;
import dev.laneway.engine.MemberShare;
import dev.laneway.engine.config.ClientVersion;
import dev.laneway.engine.config.DeliveryLimit;
import dev.laneway.engine.config.ShareConfig;
import dev.laneway.engine.config.TopicSelection;
import dev.laneway.engine.handle.HandlerSpec;
import dev.laneway.engine.runtime.JvmHost;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.clients.consumer.ShareConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

/**
 * The members of a share group, before they are started. Immutable.
 *
 * @param listens whether somebody wants to be told of the assignment
 */
public record ShareLaunch(
        LaunchSettings settings, @Nullable Supplier<? extends ShareConsumer<byte[], byte[]>> clients, boolean listens) {

    private static final String NO_PARTITIONS = "a share group hands out records, and no member has partitions";

    /** Checks what only the whole can tell, makes the clients and starts the members. */
    public Laneway start() {
        ClientVersion.found().requireForShareGroups();
        TopicSelection.Topics topics = topics();
        refuseOptions();
        ShareConfig config = ShareConfig.of(
                settings.kafkaConfig(),
                settings.producerConfig(),
                clients != null,
                settings.options(),
                settings.handling() instanceof HandlerSpec.Batch<?, ?> batch ? batch.size() : 1);
        DeliveryLimit limit = clients == null ? config.deliveryLimit() : DeliveryLimit.assumed();
        try {
            List<ShareEngine> engines = settings.make(number -> engine(config, topics, number, limit));
            return settings.start(config.kafka(), engines, List::of, List.of());
        } catch (RuntimeException failure) {
            limit.close();
            throw failure;
        }
    }

    private ShareEngine engine(ShareConfig config, TopicSelection.Topics topics, int number, DeliveryLimit limit) {
        MemberShare share = MemberShare.of(settings.options(), number);
        ShareWiring.Plan plan = new ShareWiring.Plan(share, topics, config, limit);
        ShareConsumer<byte[], byte[]> client = settings.made(() -> clients != null
                ? clients.get()
                : new KafkaShareConsumer<>(
                        config.consumer(number), new ByteArrayDeserializer(), new ByteArrayDeserializer()));
        try {
            ShareWiring parts = ShareWiring.of(
                    new JvmHost(share.name(), share.workers()),
                    settings.options(),
                    plan,
                    settings.handling(),
                    client,
                    settings.producersWith(config::outputs));
            settings.checkOutputs(parts.core().outbox());
            return new ShareEngine(parts);
        } catch (RuntimeException failure) {
            client.close(Duration.ZERO);
            throw failure;
        }
    }

    private TopicSelection.Topics topics() {
        return switch (settings.subscription()) {
            case TopicSelection.Topics topics -> topics;
            case TopicSelection.Matching matching ->
                throw new ConfigurationException(
                        "subscribe", matching.pattern(), "share groups know topics by name only", "name the topics");
            case TopicSelection.Partitions partitions ->
                throw new ConfigurationException(
                        "assign", partitions.partitions(), NO_PARTITIONS, "subscribe to topics by name");
        };
    }

    /** What makes no sense where the broker hands out records one by one, in any order, to any member. */
    private void refuseOptions() {
        Options options = settings.options();
        if (options.ordering() != Ordering.UNORDERED) {
            throw new ConfigurationException(
                    "ordering",
                    options.ordering(),
                    "must be UNORDERED: a share group keeps no order",
                    "choose UNORDERED, or Laneway.consumer(...) for order");
        }
        if (!(options.commit() instanceof CommitMode.Async || options.commit() instanceof CommitMode.Sync)) {
            throw new ConfigurationException(
                    "commit",
                    options.commit(),
                    "must be async or sync: a share group has acknowledgements, of records that are done, and no"
                            + " transactions",
                    "choose one of them, or Laneway.consumer(...)");
        }
        LaneKey laneKey = options.laneKey();
        if (laneKey != null) {
            throw new ConfigurationException(
                    "laneKey",
                    laneKey.id(),
                    "has no meaning: a share group keeps no order",
                    "leave it out, or use Laneway.consumer(...) for order");
        }
        if (options.limits().drainLimit() != null) {
            throw new ConfigurationException(
                    "drainLimit",
                    options.limits().drainLimit(),
                    NO_PARTITIONS + " to lose",
                    "leave it out; closeLimit counts");
        }
        if (!options.startPosition().equals(StartPosition.committed())) {
            throw new ConfigurationException(
                    "startPosition",
                    options.startPosition(),
                    "a share group's start is the broker's to know",
                    "leave it out and set share.auto.offset.reset of the group, or reset its offsets with"
                            + " kafka-share-groups");
        }
        if (options.metadata() != MetadataPolicy.READ) {
            throw new ConfigurationException(
                    "metadata", options.metadata(), "a share group commits no offsets", "leave it out");
        }
        if (options.notBefore() != null) {
            throw new ConfigurationException(
                    "notBefore",
                    "given",
                    "a share group's records are locked for seconds",
                    "leave it out and return Outcome.retryAfter(delay), or use Laneway.consumer(...)");
        }
        if (options.whenMapIsFull() != WhenMapIsFull.STOP_INTAKE) {
            throw new ConfigurationException(
                    "whenMapIsFull", options.whenMapIsFull(), "a share group commits no offsets", "leave it out");
        }
        if (listens) {
            throw new ConfigurationException("onRebalance", "given", NO_PARTITIONS + " to be told of", "leave it out");
        }
        if (settings.handling() instanceof HandlerSpec.Batch<?, ?> batch
                && !batch.linger().isZero()) {
            throw new ConfigurationException(
                    "batch.linger",
                    batch.linger(),
                    "must be zero: a share consumer gets nothing new before it has finished what it holds",
                    "wait for nothing, and raise max.poll.records for larger batches");
        }
    }
}
