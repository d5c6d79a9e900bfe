package dev.laneway.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.FencedInstanceIdException;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.UnreleasedInstanceIdException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How groups rebalance, as consumers see it. */
public abstract class RebalanceContract extends KafkaContract {

    /**
     * The events of one member, or of all, without those that name no partition: whether a member is told of an empty
     * assignment on the way depends on who is faster.
     */
    private List<String> changes(String name) {
        return members.events.stream()
                .filter(event -> event.startsWith(name) && !event.endsWith("[]"))
                .toList();
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource
    @DisplayName("a lone member is assigned everything and reads it in order")
    void alone(GroupKind kind) {
        topicWith(2, 3);
        Members.Member a = join("a", kind);
        members.pollUntil(() -> a.records.size() == 6);
        assertThat(changes("a")).containsExactly("a assigned [0, 1]");
        assertThat(a.records.stream().filter(record -> record.partition() == 1).map(record -> record.offset()))
                .containsExactly(0L, 1L, 2L);
        assertThat(a.consumer.groupMetadata().generationId()).isPositive();
        assertThat(a.consumer.groupMetadata().memberId()).isNotEmpty();
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource
    @DisplayName("a second member: eager revokes all of it, cooperative and consumer only what moves")
    void second(GroupKind kind) {
        topicWith(4, 0);
        Members.Member a = join("a", kind);
        members.pollUntil(() -> a.consumer.assignment().size() == 4);
        Set<TopicPartition> before = a.consumer.assignment();
        join("b", kind);
        members.pollUntil(() -> members.shares().equals(Map.of("a", 2, "b", 2)));
        members.poll(20);
        List<Integer> kept = a.consumer.assignment().stream()
                .map(TopicPartition::partition)
                .sorted()
                .toList();
        List<Integer> moved = before.stream()
                .filter(partition -> !a.consumer.assignment().contains(partition))
                .map(TopicPartition::partition)
                .sorted()
                .toList();
        switch (kind) {
            case EAGER ->
                assertThat(members.events)
                        .filteredOn(event -> event.startsWith("a"))
                        .containsExactly("a assigned [0, 1, 2, 3]", "a revoked [0, 1, 2, 3]", "a assigned " + kept);
            case COOPERATIVE ->
                assertThat(members.events)
                        .filteredOn(event -> event.startsWith("a"))
                        .containsExactly(
                                "a assigned [0, 1, 2, 3]", "a revoked " + moved, "a assigned []", "a assigned []");
            case CONSUMER -> {
                assertThat(changes("a")).containsExactly("a assigned [0, 1, 2, 3]", "a revoked " + moved);
                assertThat(members.events)
                        .filteredOn(event -> event.startsWith("a"))
                        .last()
                        .isEqualTo("a assigned []");
            }
        }
        assertThat(changes("b")).containsExactly("b assigned " + moved);
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource
    @DisplayName("what a listener commits while it is revoked is where the next owner starts")
    void commitInRevoke(GroupKind kind) {
        topicWith(2, 10);
        Members.Member a = join("a", kind, Map.of("max.poll.records", 1));
        members.pollUntil(() -> a.records.size() >= 4);
        a.onRevoked = partitions -> {
            partitions.forEach(
                    partition -> a.consumer.commitSync(Map.of(partition, new OffsetAndMetadata(7, "handed over"))));
            a.consumer.pause(a.consumer.assignment());
        };
        Members.Member b = join("b", kind);
        List<String> seen = new ArrayList<>();
        b.onAssigned = partitions -> b.consumer
                .committed(new HashSet<>(partitions))
                .forEach(
                        (partition, offset) -> seen.add(offset == null ? "none" : offset.offset() + offset.metadata()));
        members.pollUntil(() -> !b.records.isEmpty());
        assertThat(seen).containsExactly("7handed over");
        assertThat(b.records.getFirst().offset()).isEqualTo(7);
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource
    @DisplayName(
            "a pause survives for partitions that stay (cooperative, consumer) and is lost by those given back (eager)")
    void pauseAcrossRebalance(GroupKind kind) {
        topicWith(4, 0);
        Members.Member a = join("a", kind);
        members.pollUntil(() -> a.consumer.assignment().size() == 4);
        a.consumer.pause(a.consumer.assignment());
        Members.Member b = join("b", kind);
        members.pollUntil(() -> members.shares().equals(Map.of("a", 2, "b", 2)));
        Set<TopicPartition> kept = a.consumer.assignment();
        assertThat(a.consumer.paused()).isEqualTo(kind == GroupKind.EAGER ? Set.of() : kept);
        assertThat(b.consumer.paused()).isEmpty();
        members.remove(b);
        b.consumer.close();
        members.pollUntil(() -> a.consumer.assignment().size() == 4);
        assertThat(a.consumer.paused()).isEqualTo(kind == GroupKind.EAGER ? Set.of() : kept);
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource
    @DisplayName("close gives everything up with onPartitionsRevoked, and the others get it")
    void close(GroupKind kind) {
        topicWith(2, 0);
        Members.Member a = join("a", kind);
        Members.Member b = join("b", kind);
        members.pollUntil(() -> members.shares().equals(Map.of("a", 1, "b", 1)));
        int mine = a.consumer.assignment().iterator().next().partition();
        members.events.clear();
        members.remove(a);
        a.consumer.close();
        assertThat(members.events).containsExactly("a revoked [" + mine + "]");
        members.pollUntil(() -> b.consumer.assignment().size() == 2);
        assertThatThrownBy(() -> a.consumer.poll(SOON))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource
    @DisplayName("unsubscribe gives everything up with onPartitionsRevoked and leaves the group")
    void unsubscribe(GroupKind kind) {
        topicWith(1, 0);
        Members.Member a = join("a", kind);
        members.pollUntil(() -> a.consumer.assignment().size() == 1);
        a.consumer.unsubscribe();
        assertThat(changes("a")).containsExactly("a assigned [0]", "a revoked [0]");
        assertThat(a.consumer.assignment()).isEmpty();
        assertThat(a.consumer.subscription()).isEmpty();
        assertThatThrownBy(() -> a.consumer.poll(SOON))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("not subscribed");
        a.consumer.subscribe(List.of(topic), a);
        members.pollUntil(() -> a.consumer.assignment().size() == 1);
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource
    @DisplayName(
            "a member that does not poll for max.poll.interval.ms is out: its partitions are lost, then assigned anew")
    void maxPollInterval(GroupKind kind) {
        topicWith(1, 1);
        Members.Member a = join("a", kind, Map.of("max.poll.interval.ms", 1_000));
        members.pollUntil(() -> a.records.size() == 1);
        Members.Member b = join("b", kind);
        members.remove(a);
        members.pollUntil(() -> b.consumer.assignment().size() == 1);
        assertThatThrownBy(() -> a.consumer.commitSync(Map.of(partition(0), new OffsetAndMetadata(1))))
                .isInstanceOf(CommitFailedException.class);
        assertThat(changes("")).containsExactly("a assigned [0]", "b assigned [0]");
        a.poll();
        assertThat(changes("").get(2)).isEqualTo("a lost [0]");
        members.remove(b);
        b.consumer.close();
        members.add("a", a.consumer);
        members.pollUntil(() -> a.consumer.assignment().size() == 1);
        assertThat(members.events.getLast()).isEqualTo("a assigned [0]");
        a.consumer.commitSync(Map.of(partition(0), new OffsetAndMetadata(1)));
        assertThat(cluster.committed(group).get(partition(0)).offset()).isEqualTo(1);
    }

    @Test
    @DisplayName("cooperative: a commit between join and assignment fails with RebalanceInProgressException and is good"
            + " later")
    void commitWhileRebalancing() {
        topicWith(2, 1);
        Members.Member a = join("a", GroupKind.COOPERATIVE);
        members.pollUntil(() -> a.records.size() == 2);
        Members.Member b = join("b", GroupKind.COOPERATIVE);
        // b joins and does not come back for its assignment, so that the rebalance stays open.
        b.poll();
        members.remove(b);
        List<Throwable> failures = new ArrayList<>();
        members.pollUntil(() -> {
            try {
                a.consumer.commitSync(Map.of(partition(0), new OffsetAndMetadata(1)));
            } catch (RebalanceInProgressException e) {
                failures.add(e);
            }
            b.consumer.poll(Duration.ZERO);
            return !failures.isEmpty();
        });
        members.add("b", b.consumer);
        members.pollUntil(() ->
                a.consumer.assignment().size() == 1 && b.consumer.assignment().size() == 1);
        TopicPartition mine = a.consumer.assignment().iterator().next();
        a.consumer.commitSync(Map.of(mine, new OffsetAndMetadata(1)));
        assertThat(cluster.committed(group).get(mine).offset()).isEqualTo(1);
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource
    @DisplayName("what a listener throws comes out of poll, and the assignment stands all the same")
    void throwingListener(GroupKind kind) {
        topicWith(1, 1);
        Members.Member a = join("a", kind);
        a.onAssigned = partitions -> {
            if (!partitions.isEmpty()) {
                throw new IllegalArgumentException("no");
            }
        };
        assertThatThrownBy(() -> members.poll(200))
                .isInstanceOf(KafkaException.class)
                .hasRootCauseMessage("no");
        assertThat(a.consumer.assignment()).containsExactly(partition(0));
        members.pollUntil(() -> a.records.size() == 1);
        assertThat(changes("a")).containsExactly("a assigned [0]");
        assertThat(members.events.getLast()).isEqualTo("a assigned []");
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource
    @DisplayName("a pattern takes in a topic that appears later")
    void pattern(GroupKind kind) {
        topicWith(1, 1);
        Members.Member a =
                members.add("a", cluster.consumer(kind.with(Map.of("group.id", group, "metadata.max.age.ms", 200))));
        a.consumer.subscribe(Pattern.compile(Pattern.quote(topic) + ".*"), a);
        members.pollUntil(() -> a.records.size() == 1);
        assertThat(a.consumer.subscription()).containsExactly(topic);
        cluster.createTopic(topic + "-more", 1);
        TopicPartition later = new TopicPartition(topic + "-more", 0);
        members.pollUntil(() -> a.consumer.assignment().equals(Set.of(partition(0), later)));
        assertThat(a.consumer.subscription()).containsExactlyInAnyOrder(topic, topic + "-more");
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource
    @DisplayName("partitions that are added to a topic are assigned")
    void growingTopic(GroupKind kind) {
        topicWith(1, 1);
        Members.Member a = join("a", kind, Map.of("metadata.max.age.ms", 200));
        members.pollUntil(() -> a.records.size() == 1);
        cluster.addPartitions(topic, 3);
        members.pollUntil(() -> a.consumer.assignment().size() == 3);
        append(2, 0, 1);
        members.pollUntil(() -> a.records.stream().anyMatch(record -> record.partition() == 2));
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource
    @DisplayName("B41 a static member that comes back within its session gets its partitions, and nobody else notices")
    void staticMember(GroupKind kind) {
        topicWith(2, 0);
        Members.Member a = join("a", kind, Map.of("group.instance.id", "ia"));
        Members.Member b = join("b", kind, Map.of("group.instance.id", "ib"));
        members.pollUntil(() -> members.shares().equals(Map.of("a", 1, "b", 1)));
        members.poll(10);
        Set<TopicPartition> ofB = b.consumer.assignment();
        members.remove(b);
        b.consumer.close();
        members.events.clear();
        members.poll(20);
        Members.Member again = join("b2", kind, Map.of("group.instance.id", "ib"));
        members.pollUntil(() -> again.consumer.assignment().equals(ofB));
        members.poll(20);
        assertThat(changes("")).containsExactly("b2 assigned " + numbers(ofB));
        assertThat(a.consumer.assignment()).hasSize(1);
    }

    private static List<Integer> numbers(Set<TopicPartition> partitions) {
        return partitions.stream().map(TopicPartition::partition).sorted().toList();
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource
    @DisplayName("a consumer outside the group cannot commit while the group has members")
    void outsider(GroupKind kind) {
        topicWith(1, 0);
        Members.Member a = join("a", kind);
        members.pollUntil(() -> a.consumer.assignment().size() == 1);
        Consumer<byte[], byte[]> outsider = assigned(Map.of(), partition(0));
        assertThatThrownBy(() -> outsider.commitSync(Map.of(partition(0), new OffsetAndMetadata(0))))
                .isInstanceOf(CommitFailedException.class);
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource
    @DisplayName("members beyond the number of partitions are assigned nothing")
    void idleMember(GroupKind kind) {
        topicWith(1, 0);
        join("a", kind);
        members.pollUntil(() -> members.shares().equals(Map.of("a", 1)));
        join("b", kind);
        members.pollUntil(() -> members.events.stream().anyMatch(event -> event.startsWith("b")));
        members.poll(20);
        assertThat(members.shares().values()).containsExactlyInAnyOrder(1, 0);
        assertThat(members.events)
                .filteredOn(event -> event.endsWith("assigned []"))
                .isNotEmpty();
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource
    @DisplayName(
            "B37 a partition that stays goes on where it was; one that was given back starts at the committed offset")
    void positions(GroupKind kind) {
        topicWith(4, 400);
        Members.Member a = join("a", kind, Map.of("max.poll.records", 1));
        members.pollUntil(() -> a.records.size() >= 8);
        Members.Member b = join("b", kind);
        members.pollUntil(() -> members.shares().equals(Map.of("a", 2, "b", 2)));
        TopicPartition kept = a.consumer.assignment().iterator().next();
        a.consumer.pause(a.consumer.assignment().stream()
                .filter(other -> !other.equals(kept))
                .toList());
        int reads = a.records.size();
        members.pollUntil(() -> a.records.size() >= reads + 20);
        List<Long> offsets = a.records.stream()
                .filter(record -> record.partition() == kept.partition())
                .map(record -> record.offset())
                .toList();
        long restarts = offsets.stream().filter(offset -> offset == 0).count();
        boolean startedBefore =
                a.records.subList(0, reads).stream().anyMatch(record -> record.partition() == kept.partition());
        if (kind == GroupKind.EAGER && startedBefore) {
            assertThat(restarts).isGreaterThanOrEqualTo(1);
        } else {
            assertThat(offsets)
                    .isEqualTo(LongStream.range(0, offsets.size()).boxed().toList());
        }
        // Nothing was committed, so the new owner reads from the start whatever a has read of it.
        members.pollUntil(() -> !b.records.isEmpty());
        assertThat(b.records.getFirst().offset()).isZero();
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(names = {"EAGER", "COOPERATIVE"})
    @DisplayName("enforceRebalance makes the group rebalance in the next polls")
    void enforced(GroupKind kind) {
        topicWith(1, 0);
        Members.Member a = join("a", kind);
        members.pollUntil(() -> a.consumer.assignment().size() == 1);
        int generation = a.consumer.groupMetadata().generationId();
        a.consumer.enforceRebalance();
        members.pollUntil(() -> a.consumer.groupMetadata().generationId() > generation);
        members.pollUntil(() -> a.consumer.assignment().size() == 1);
        assertThat(changes("a"))
                .isEqualTo(
                        kind == GroupKind.EAGER
                                ? List.of("a assigned [0]", "a revoked [0]", "a assigned [0]")
                                : List.of("a assigned [0]"));
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource
    @DisplayName("B38 nobody gets a partition before its owner has given it up in a poll of its own")
    void oneOwner(GroupKind kind) {
        topicWith(2, 0);
        Members.Member a = join("a", kind);
        members.pollUntil(() -> a.consumer.assignment().size() == 2);
        members.remove(a);
        Members.Member b = join("b", kind);
        members.poll(80);
        assertThat(b.consumer.assignment()).isEmpty();
        assertThat(changes("b")).isEmpty();
        members.add("a", a.consumer);
        members.pollUntil(() -> b.consumer.assignment().size() == 1);
        assertThat(a.consumer.assignment()).doesNotContainAnyElementsOf(b.consumer.assignment());
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource
    @DisplayName("two members with one group.instance.id: classic fences the first, consumer refuses the second")
    void sameInstance(GroupKind kind) {
        topicWith(1, 0);
        Members.Member a = join("a", kind, Map.of("group.instance.id", "one"));
        members.pollUntil(() -> a.consumer.assignment().size() == 1);
        members.remove(a);
        Members.Member b = join("b", kind, Map.of("group.instance.id", "one"));
        if (kind == GroupKind.CONSUMER) {
            assertThatThrownBy(() -> members.poll(400)).isInstanceOf(UnreleasedInstanceIdException.class);
            assertThat(a.consumer.assignment()).hasSize(1);
        } else {
            members.pollUntil(() -> b.consumer.assignment().size() == 1);
            assertThatThrownBy(() -> a.consumer.commitSync(Map.of(partition(0), new OffsetAndMetadata(0))))
                    .isInstanceOfAny(FencedInstanceIdException.class, CommitFailedException.class);
            members.remove(b);
            members.add("a", a.consumer);
            assertThatThrownBy(() -> members.poll(400)).isInstanceOf(FencedInstanceIdException.class);
        }
        a.consumer.close();
    }
}
