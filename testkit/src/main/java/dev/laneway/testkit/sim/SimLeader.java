package dev.laneway.testkit.sim;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Assignment;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.GroupSubscription;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** The leader of a classic group: it assigns with Kafka's assignor, and watches the topics of the whole group. */
final class SimLeader {
    private final SimBroker broker;
    private @Nullable Set<String> topics;
    private @Nullable List<TopicPartition> assignedFrom;

    SimLeader(SimBroker broker) {
        this.broker = broker;
    }

    Map<String, Assignment> assign(ConsumerPartitionAssignor assignor, Map<String, Subscription> subscriptions) {
        Set<String> wanted = new TreeSet<>();
        subscriptions.values().forEach(member -> wanted.addAll(member.topics()));
        List<PartitionInfo> partitions = wanted.stream()
                .flatMap(topic -> partitionInfos(broker, topic).stream())
                .toList();
        Cluster cluster = new Cluster("simulated", List.of(SimBroker.NODE), partitions, Set.of(), Set.of());
        topics = wanted;
        assignedFrom = broker.partitionsOf(wanted);
        return assignor.assign(cluster, new GroupSubscription(subscriptions)).groupAssignment();
    }

    /** Whether a topic has appeared or grown since this member assigned; never for one that does not lead. */
    boolean partitionsChanged() {
        return topics != null && assignedFrom != null && !assignedFrom.equals(broker.partitionsOf(topics));
    }

    static List<PartitionInfo> partitionInfos(SimBroker broker, String topic) {
        Node[] nodes = {SimBroker.NODE};
        return broker.partitionsOf(List.of(topic)).stream()
                .map(partition -> new PartitionInfo(topic, partition.partition(), SimBroker.NODE, nodes, nodes))
                .toList();
    }

    void resign() {
        assignedFrom = null;
    }
}
