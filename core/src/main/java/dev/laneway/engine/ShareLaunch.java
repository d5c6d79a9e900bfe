package dev.laneway.engine;

import dev.laneway.CommitMode;
import dev.laneway.ConfigurationException;
import dev.laneway.Laneway;
import dev.laneway.MetadataPolicy;
import dev.laneway.Options;
import dev.laneway.Ordering;
import dev.laneway.StartCheck;
import dev.laneway.StartPosition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.clients.consumer.ShareConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * Everything that the members of a share group are started with. Immutable.
 *
 * @param listens whether somebody wants to be told of the assignment
 */
public record ShareLaunch(
        Map<String, Object> kafkaConfig,
        Map<String, Object> producerConfig,
        Options options,
        TopicSelection subscription,
        @Nullable Supplier<? extends ShareConsumer<byte[], byte[]>> clients,
        @Nullable Supplier<? extends Producer<byte[], byte[]>> producers,
        boolean listens,
        HandlerSpec handling) {

    private static final String NO_PARTITIONS = "a share group hands out records, and no member has partitions";

    /** Without the values of Kafka's properties: passwords are among them. */
    @Override
    public String toString() {
        return "ShareLaunch[kafkaConfig=" + kafkaConfig.keySet() + ", producerConfig=" + producerConfig.keySet()
                + ", options=" + options + ", subscription=" + subscription + "]";
    }

    /** Checks what only the whole can tell, makes the clients and starts the members. */
    public Laneway start() {
        ClientVersion.found().requireForShareGroups();
        TopicSelection.Topics topics = topics();
        refuseOptions();
        ShareConfig config = ShareConfig.of(
                kafkaConfig,
                producerConfig,
                clients != null,
                options,
                handling instanceof HandlerSpec.Batch<?, ?> batch ? batch.size() : 1);
        List<Member.OfShareGroup> members = new ArrayList<>();
        DeliveryLimit limit = clients == null ? config.deliveryLimit() : DeliveryLimit.assumed();
        try {
            for (int i = 0; i < options.consumers(); i++) {
                members.add(member(config, topics, i, limit));
            }
            HealthConditions cluster =
                    new HealthConditions(members.getFirst().parts().host(), options.healthLimit());
            ClusterProbe probe = ClusterProbe.of(
                    config.kafka(),
                    options,
                    topics,
                    producers == null,
                    cluster,
                    () -> List.of(),
                    List.of(),
                    () -> members.stream()
                            .flatMap(member -> member.parts().outbox().outgoing().topics().stream())
                            .collect(Collectors.toSet()));
            RunningConsumer handle = new RunningConsumer(members, options, cluster, probe);
            if (probe != null && options.startCheck() == StartCheck.FAIL) {
                require(probe);
            }
            if (options.closeOnShutdown()) {
                handle.closeOnShutdown();
            }
            handle.start();
            return handle;
        } catch (RuntimeException failure) {
            limit.close();
            // No owner runs yet: the members are this thread's to close.
            members.forEach(member -> {
                member.engine().closeUnstarted();
                member.parts().outbox().close(Duration.ZERO);
                member.parts().host().close();
            });
            throw failure;
        }
    }

    private void require(ClusterProbe probe) {
        try {
            made(() -> {
                probe.require(options.healthLimit());
                return probe;
            });
        } catch (RuntimeException missing) {
            probe.close();
            throw missing;
        }
    }

    private Member.OfShareGroup member(
            ShareConfig config, TopicSelection.Topics topics, int number, DeliveryLimit limit) {
        MemberShare seat = MemberShare.of(options, number);
        Supplier<? extends Producer<byte[], byte[]>> outputs = producers != null
                ? producers
                : () -> new KafkaProducer<>(config.outputs(), new ByteArraySerializer(), new ByteArraySerializer());
        ShareWiring parts = ShareWiring.of(
                new JvmHost(seat.name(), seat.workers()),
                options,
                new ShareWiring.Plan(
                        seat.name(),
                        seat.concurrency(),
                        topics,
                        config.group(),
                        config.maxPollRecords(),
                        config.maxPollInterval(),
                        config.metadataAge(),
                        limit),
                handling,
                () -> client(config, number),
                outputs);
        ShareEngine engine = made(() -> new ShareEngine(parts));
        try {
            if (ConsumerLaunch.sends(options, handling)) {
                // A producer of the caller's own is asked for once, since it may be the only one that there is.
                made(producers != null ? parts.outbox()::open : parts.outbox()::check);
            }
        } catch (RuntimeException failure) {
            engine.closeUnstarted();
            throw failure;
        }
        return new Member.OfShareGroup(engine, parts, new OwnerThread(engine, seat.name()));
    }

    private ShareConsumer<byte[], byte[]> client(ShareConfig config, int number) {
        return clients != null
                ? clients.get()
                : new KafkaShareConsumer<>(
                        config.consumer(number), new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    private <T> T made(Supplier<? extends T> maker) {
        return ConsumerLaunch.made(kafkaConfig, producerConfig, maker);
    }

    private TopicSelection.Topics topics() {
        return switch (subscription) {
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
        if (options.drainLimit() != null) {
            throw new ConfigurationException(
                    "drainLimit", options.drainLimit(), NO_PARTITIONS + " to lose", "leave it out; closeLimit counts");
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
        if (listens) {
            throw new ConfigurationException("onRebalance", "given", NO_PARTITIONS + " to be told of", "leave it out");
        }
        if (handling instanceof HandlerSpec.Batch<?, ?> batch && !batch.linger().isZero()) {
            throw new ConfigurationException(
                    "batch.linger",
                    batch.linger(),
                    "must be zero: a share consumer gets nothing new before it has finished what it holds",
                    "wait for nothing, and raise max.poll.records for larger batches");
        }
    }
}
