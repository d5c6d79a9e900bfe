package dev.laneway.assign;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Assignment;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.GroupSubscription;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Rebalance after rebalance, as Kafka has them: members give up what they are not given, and join again. */
class LoadAssignorTest {
    private static final String TOPIC = "orders";

    /** A cooperative group. */
    private static final class Group {
        final Map<String, Set<TopicPartition>> owned = new TreeMap<>();
        final Map<String, List<String>> topics = new HashMap<>();
        final LoadAssignor assignor;
        final Cluster cluster;
        int generation = 1;
        int moved;

        Group(int partitions, ToDoubleFunction<TopicPartition> load) {
            assignor = new LoadAssignor(
                    asked -> asked.stream().collect(Collectors.toMap(each -> each, load::applyAsDouble)),
                    AssignorSettings.of(Map.of()));
            cluster = cluster(Map.of(TOPIC, partitions, "mails", 3));
        }

        void join(String member, String... subscribed) {
            owned.put(member, new HashSet<>());
            topics.put(member, subscribed.length == 0 ? List.of(TOPIC) : List.of(subscribed));
        }

        void leave(String member) {
            owned.remove(member);
        }

        /** Until nobody has anything to give up; returns how many rebalances it took. */
        int rebalance() {
            moved = 0;
            for (int round = 1; ; round++) {
                assertThat(round).as("rounds").isLessThan(3);
                if (!once()) {
                    return round;
                }
            }
        }

        private boolean once() {
            Map<String, Subscription> members = new HashMap<>();
            owned.forEach((member, own) -> members.put(
                    member,
                    new Subscription(topics.get(member), null, List.copyOf(own), generation, Optional.empty())));
            Map<String, Assignment> assignments =
                    assignor.assign(cluster, new GroupSubscription(members)).groupAssignment();
            assertThat(assignments.keySet()).isEqualTo(owned.keySet());
            generation++;
            boolean isRevoked = false;
            Set<TopicPartition> added = new HashSet<>();
            Set<TopicPartition> revoked = new HashSet<>();
            for (Map.Entry<String, Assignment> each : assignments.entrySet()) {
                Set<TopicPartition> before = owned.get(each.getKey());
                Set<TopicPartition> after = new HashSet<>(each.getValue().partitions());
                assertThat(after)
                        .as("twice for one member")
                        .hasSameSizeAs(each.getValue().partitions());
                after.forEach(partition -> assertThat(topics.get(each.getKey())).contains(partition.topic()));
                before.stream().filter(one -> !after.contains(one)).forEach(revoked::add);
                after.stream()
                        .filter(one -> !before.contains(one))
                        .forEach(one ->
                                assertThat(added.add(one)).as("twice: " + one).isTrue());
                isRevoked |= !after.containsAll(before);
                owned.put(each.getKey(), after);
            }
            // What Kafka's consumer refuses.
            assertThat(added).noneMatch(revoked::contains);
            moved += revoked.size();
            return isRevoked;
        }

        List<TopicPartition> all() {
            return owned.values().stream().flatMap(Set::stream).toList();
        }
    }

    private static Cluster cluster(Map<String, Integer> topics) {
        Node node = new Node(0, "localhost", 9092);
        List<PartitionInfo> partitions = new ArrayList<>();
        topics.forEach((topic, count) -> IntStream.range(0, count)
                .forEach(number ->
                        partitions.add(new PartitionInfo(topic, number, node, new Node[] {node}, new Node[] {node}))));
        return new Cluster("c", List.of(node), partitions, Set.of(), Set.of());
    }

    @Test
    @DisplayName("B207 Three members share a skewed topic by load: one has the hot partition, and no other")
    void skew() {
        ToDoubleFunction<TopicPartition> load = partition -> partition.partition() == 4 ? 50 : 5;
        Group group = new Group(11, load);
        List.of("a", "b", "c").forEach(member -> group.join(member));
        assertThat(group.rebalance()).isEqualTo(1);
        assertThat(group.owned.values().stream().map(Set::size).sorted().toList())
                .containsExactly(1, 5, 5);
        assertThat(group.all()).hasSize(11);
    }

    @Test
    @DisplayName("B207 Who joins gets its share in two rebalances, and what did not move never stopped")
    void joins() {
        Group group = new Group(12, _ -> 1);
        group.join("a");
        group.join("b");
        group.rebalance();
        group.join("c");
        assertThat(group.rebalance()).isEqualTo(2);
        assertThat(group.moved).isEqualTo(4);
        assertThat(group.owned.values()).allMatch(own -> own.size() == 4);
        group.leave("b");
        assertThat(group.rebalance()).isEqualTo(1);
        assertThat(group.moved).isZero();
        assertThat(group.owned.values()).allMatch(own -> own.size() == 6);
    }

    @Test
    @DisplayName("B207 What is eager, and tells nothing of what it had, keeps it as well")
    void eager() {
        Group group = new Group(12, partition -> 1 + partition.partition());
        List.of("a", "b", "c").forEach(member -> group.join(member));
        group.rebalance();
        Map<String, Set<TopicPartition>> before = new HashMap<>(group.owned);
        group.owned.replaceAll((_, _) -> new HashSet<>());
        group.rebalance();
        assertThat(group.owned).isEqualTo(before);
    }

    @Test
    @DisplayName("B207 Of two that claim a partition neither counts, nobody else gets it before both gave it up")
    void conflict() {
        Group group = new Group(6, _ -> 1);
        List.of("a", "b", "c").forEach(member -> group.join(member));
        group.rebalance();
        TopicPartition disputed = group.owned.get("a").iterator().next();
        group.owned.get("b").add(disputed);
        group.rebalance();
        assertThat(group.all()).hasSize(6).doesNotHaveDuplicates();
    }

    @Test
    @DisplayName("B207 Where brokers tell nothing, members get as many partitions as each other")
    void unknown() {
        LoadAssignor assignor =
                new LoadAssignor(partitions -> Loads.filled(Map.of(), partitions), AssignorSettings.of(Map.of()));
        Map<String, Subscription> members = new HashMap<>();
        IntStream.range(0, 5).forEach(number -> members.put("m" + number, new Subscription(List.of(TOPIC))));
        assertThat(assignor.assign(cluster(Map.of(TOPIC, 15)), new GroupSubscription(members))
                        .groupAssignment()
                        .values())
                .allMatch(assignment -> assignment.partitions().size() == 3);
        assertThat(Loads.filled(
                        Map.of(new TopicPartition(TOPIC, 0), 10.0),
                        List.of(new TopicPartition(TOPIC, 0), new TopicPartition(TOPIC, 1))))
                .containsEntry(new TopicPartition(TOPIC, 1), 10.2);
    }

    @Test
    @DisplayName("B207 A topic that is not there yet is no partition, and a group without members no error")
    void nothing() {
        LoadAssignor assignor =
                new LoadAssignor(partitions -> Loads.filled(Map.of(), partitions), AssignorSettings.of(Map.of()));
        assertThat(assignor.assign(
                                cluster(Map.of()), new GroupSubscription(Map.of("m", new Subscription(List.of(TOPIC)))))
                        .groupAssignment()
                        .get("m")
                        .partitions())
                .isEmpty();
        assertThat(assignor.assign(cluster(Map.of()), new GroupSubscription(Map.of()))
                        .groupAssignment())
                .isEmpty();
    }

    @Property(tries = 500)
    @Label("B207 Whoever comes and goes: each partition has one member, and nobody gets it before it is given up")
    void histories(@ForAll long seed) {
        Random random = new Random(seed);
        Map<TopicPartition, Double> loads = new HashMap<>();
        Group group = new Group(
                1 + random.nextInt(30),
                partition -> loads.computeIfAbsent(partition, _ -> 1 / (0.05 + random.nextDouble())));
        group.join("m0", TOPIC, "mails");
        for (int change = 1; change < 12; change++) {
            if (random.nextInt(3) > 0) {
                group.join("m" + change, random.nextBoolean() ? new String[] {TOPIC} : new String[] {TOPIC, "mails"});
            } else if (group.owned.size() > 1) {
                group.leave(List.copyOf(group.owned.keySet()).get(random.nextInt(group.owned.size())));
            }
            if (random.nextInt(4) == 0) {
                loads.replaceAll((_, load) -> load * (0.5 + random.nextDouble()));
            }
            group.rebalance();
            boolean isMails = group.owned.keySet().stream()
                    .anyMatch(member -> group.topics.get(member).contains("mails"));
            assertThat(group.all())
                    .doesNotHaveDuplicates()
                    .hasSize(group.cluster.partitionCountForTopic(TOPIC) + (isMails ? 3 : 0));
        }
    }

    @Test
    @DisplayName("B207 A value out of its range is refused by name when the consumer is made")
    void refused() {
        assertThatThrownBy(() -> new LoadAssignor().configure(Map.of("laneway.assignor.tolerance", "2")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("laneway.assignor.tolerance");
        assertThatThrownBy(() -> new LoadAssignor().configure(Map.of("laneway.assignor.window.ms", "often")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("laneway.assignor.window.ms");
    }
}
