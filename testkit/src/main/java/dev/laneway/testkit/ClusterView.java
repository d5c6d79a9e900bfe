package dev.laneway.testkit;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.apache.kafka.common.internals.Topic;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.image.TopicImage;
import org.apache.kafka.metadata.BrokerRegistration;
import org.apache.kafka.metadata.PartitionRegistration;
import org.jspecify.annotations.Nullable;

/** What the controller and the brokers know of the cluster, read from their memory. Thread-safe. */
final class ClusterView {

    private final ControllerNode controller;
    private final List<BrokerNode> brokers;

    ClusterView(ControllerNode controller, List<BrokerNode> brokers) {
        this.controller = controller;
        this.brokers = brokers;
    }

    /** Number of partitions, or empty when there is no such topic. */
    OptionalInt partitions(String topic) {
        @Nullable TopicImage image = controller.metadata().topics().getTopic(topic);
        return image == null
                ? OptionalInt.empty()
                : OptionalInt.of(image.partitions().size());
    }

    /** The leading broker, or empty when the partition has none. */
    OptionalInt leader(String topic, int partition) {
        @Nullable TopicImage image = controller.metadata().topics().getTopic(topic);
        @Nullable
        PartitionRegistration found = image == null ? null : image.partitions().get(partition);
        return found == null || found.leader < 0 ? OptionalInt.empty() : OptionalInt.of(found.leader);
    }

    /**
     * The broker that leads the group's partition of the offsets topic, or empty before the first group has been seen.
     */
    OptionalInt coordinator(String group) {
        for (BrokerNode broker : brokers) {
            Optional<Integer> partition = broker.offsetsPartitionOf(group);
            if (partition.isPresent()) {
                return leader(Topic.GROUP_METADATA_TOPIC_NAME, partition.get());
            }
        }
        return OptionalInt.empty();
    }

    /** Why some running broker does not know the topic with a leader for each partition; empty if all do. */
    Optional<String> missing(String topic, int partitions) {
        for (BrokerNode broker : brokers) {
            Optional<MetadataImage> metadata = broker.metadata();
            if (metadata.isPresent()) {
                @Nullable TopicImage image = metadata.get().topics().getTopic(topic);
                int led = image == null ? 0 : led(image);
                if (led < partitions) {
                    return Optional.of(
                            "node " + broker.id() + " knows leaders for " + led + " of " + partitions + " partitions");
                }
            }
        }
        return Optional.empty();
    }

    private static int led(TopicImage topic) {
        return (int) topic.partitions().values().stream()
                .filter(partition -> partition.leader >= 0)
                .count();
    }

    /** Why the cluster is not ready, see {@link EmbeddedKafka#awaitReady}; empty if it is. */
    Optional<String> notReady() {
        Set<Integer> running = new HashSet<>();
        for (BrokerNode broker : brokers) {
            if (broker.isRunning()) {
                running.add(broker.id());
            }
        }
        Optional<String> obstacle = notReady(controller.metadata(), running).map(found -> "controller: " + found);
        for (BrokerNode broker : brokers) {
            if (obstacle.isEmpty()) {
                obstacle = broker.metadata()
                        .flatMap(image -> notReady(image, running))
                        .map(found -> "node " + broker.id() + ": " + found);
            }
        }
        return obstacle;
    }

    private static Optional<String> notReady(MetadataImage image, Set<Integer> running) {
        for (int id : running) {
            @Nullable BrokerRegistration broker = image.cluster().broker(id);
            if (broker == null || broker.fenced() || broker.inControlledShutdown()) {
                return Optional.of("node " + id + " is not in service");
            }
        }
        for (TopicImage topic : image.topics().topicsById().values()) {
            for (Map.Entry<Integer, PartitionRegistration> partition :
                    topic.partitions().entrySet()) {
                Optional<String> obstacle = notReady(partition.getValue(), running);
                if (obstacle.isPresent()) {
                    return obstacle.map(found -> topic.name() + "-" + partition.getKey() + " " + found);
                }
            }
        }
        return Optional.empty();
    }

    /** A partition whose replicas are all down is not counted, since waiting does not bring it back. */
    private static Optional<String> notReady(PartitionRegistration partition, Set<Integer> running) {
        Set<Integer> alive = new HashSet<>();
        Arrays.stream(partition.replicas).filter(running::contains).forEach(alive::add);
        if (alive.isEmpty()) {
            return Optional.empty();
        }
        if (!running.contains(partition.leader)) {
            return Optional.of("has no running leader");
        }
        Arrays.stream(partition.isr).forEach(alive::remove);
        return alive.isEmpty() ? Optional.empty() : Optional.of("is not yet in sync on nodes " + alive);
    }
}
