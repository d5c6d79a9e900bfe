package dev.laneway.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.OffsetMetadataTooLarge;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How offsets and their metadata reach the cluster, and when the callbacks run. */
public abstract class CommitContract extends KafkaContract {
    private static final int LIMIT = 4_096;

    private Members.Member reader(GroupKind kind) {
        topicWith(1, 5);
        Members.Member a = join("a", kind);
        members.pollUntil(() -> a.records.size() == 5);
        return a;
    }

    private static Map<TopicPartition, OffsetAndMetadata> at(TopicPartition partition, long offset, String metadata) {
        return Map.of(partition, new OffsetAndMetadata(offset, metadata));
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource
    @DisplayName("metadata comes back as it was written, up to 4096 UTF-16 code units of any character; one more is too"
            + " large")
    void metadata(GroupKind kind) {
        Members.Member a = reader(kind);
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < LIMIT; i++) {
            text.append((char) (0x0800 + i * 8));
        }
        a.consumer.commitSync(at(partition(0), 3, text.toString()));
        OffsetAndMetadata read = a.consumer.committed(Set.of(partition(0))).get(partition(0));
        assertThat(read.offset()).isEqualTo(3);
        assertThat(read.metadata()).isEqualTo(text.toString());
        assertThat(cluster.committed(group).get(partition(0)).metadata()).isEqualTo(text.toString());

        String tooLarge = text + "x";
        assertThatThrownBy(() -> a.consumer.commitSync(at(partition(0), 4, tooLarge)))
                .isInstanceOf(OffsetMetadataTooLarge.class);
        List<Exception> failures = new ArrayList<>();
        a.consumer.commitAsync(at(partition(0), 4, tooLarge), (offsets, error) -> failures.add(error));
        members.pollUntil(() -> !failures.isEmpty());
        assertThat(failures.getFirst()).isInstanceOf(OffsetMetadataTooLarge.class);
        assertThat(cluster.committed(group).get(partition(0)).offset()).isEqualTo(3);
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource
    @DisplayName("too much metadata for one partition does not keep the others from being stored")
    void partlyTooLarge(GroupKind kind) {
        topicWith(2, 1);
        Members.Member a = join("a", kind);
        members.pollUntil(() -> a.records.size() == 2);
        Map<TopicPartition, OffsetAndMetadata> both = new HashMap<>();
        both.put(partition(0), new OffsetAndMetadata(1, "x".repeat(LIMIT + 1)));
        both.put(partition(1), new OffsetAndMetadata(1, "fine"));
        assertThatThrownBy(() -> a.consumer.commitSync(both)).isInstanceOf(OffsetMetadataTooLarge.class);
        assertThat(cluster.committed(group)).containsOnlyKeys(partition(1));
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource
    @DisplayName("a partition without a committed offset is null in committed()")
    void nothingCommitted(GroupKind kind) {
        Members.Member a = reader(kind);
        assertThat(a.consumer.committed(Set.of(partition(0)))).containsEntry(partition(0), null);
        a.consumer.commitSync();
        assertThat(a.consumer.committed(Set.of(partition(0))).get(partition(0)).offset())
                .isEqualTo(5);
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource
    @DisplayName("the callback of commitAsync waits for poll, though the cluster has answered long before")
    void callbackInPoll(GroupKind kind) {
        Members.Member a = reader(kind);
        List<Long> done = new ArrayList<>();
        a.consumer.commitAsync(
                at(partition(0), 1, ""),
                (offsets, error) -> done.add(offsets.get(partition(0)).offset()));
        cluster.pass(Duration.ofMillis(400));
        assertThat(done).isEmpty();
        assertThat(a.consumer.position(partition(0))).isEqualTo(5);
        assertThat(done).isEmpty();
        members.pollUntil(() -> !done.isEmpty());
        assertThat(done).containsExactly(1L);
        assertThat(cluster.committed(group).get(partition(0)).offset()).isEqualTo(1);
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource
    @DisplayName(
            "commits keep their order; commitSync runs the callbacks of earlier asynchronous ones first, of an empty"
                    + " map too")
    void order(GroupKind kind) {
        Members.Member a = reader(kind);
        List<Long> done = new ArrayList<>();
        for (long offset = 1; offset <= 3; offset++) {
            a.consumer.commitAsync(
                    at(partition(0), offset, ""),
                    (offsets, error) -> done.add(offsets.get(partition(0)).offset()));
        }
        a.consumer.commitSync(at(partition(0), 4, ""));
        assertThat(done).containsExactly(1L, 2L, 3L);
        assertThat(cluster.committed(group).get(partition(0)).offset()).isEqualTo(4);
        a.consumer.commitAsync(
                at(partition(0), 5, ""),
                (offsets, error) -> done.add(offsets.get(partition(0)).offset()));
        a.consumer.commitSync(Map.of());
        assertThat(done).containsExactly(1L, 2L, 3L, 5L);
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource
    @DisplayName("an offset may move back: the last commit counts")
    void backwards(GroupKind kind) {
        Members.Member a = reader(kind);
        a.consumer.commitSync(at(partition(0), 4, "later"));
        a.consumer.commitSync(at(partition(0), 2, "earlier"));
        assertThat(cluster.committed(group).get(partition(0))).isEqualTo(new OffsetAndMetadata(2, "earlier"));
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource
    @DisplayName("close waits for asynchronous commits, and they are stored")
    void close(GroupKind kind) {
        Members.Member a = reader(kind);
        a.consumer.commitAsync(at(partition(0), 3, "last"), null);
        members.remove(a);
        a.consumer.close();
        assertThat(cluster.committed(group).get(partition(0))).isEqualTo(new OffsetAndMetadata(3, "last"));
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource
    @DisplayName("a late wakeup ends commitSync, or the next one where it was answered first; the one after that works")
    void wakeup(GroupKind kind) {
        Members.Member a = reader(kind);
        a.consumer.wakeup();
        Throwable ended = catchThrowable(() -> a.consumer.commitSync(at(partition(0), 3, "")));
        for (int more = 0; kind == GroupKind.CONSUMER && ended == null && more < 10; more++) {
            // The client of the consumer protocol (4.3.1) keeps a wakeup for the next call when the commit was answered
            // before it looked.
            assertThat(cluster.committed(group).get(partition(0)).offset()).isEqualTo(3);
            ended = catchThrowable(() -> a.consumer.commitSync(at(partition(0), 3, "")));
        }
        assertThat(ended).isInstanceOf(WakeupException.class);
        a.consumer.commitSync(at(partition(0), 4, ""));
        assertThat(cluster.committed(group).get(partition(0)).offset()).isEqualTo(4);
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource
    @DisplayName("a new member starts at the committed offset, even one beyond a reset policy")
    void startsAtCommitted(GroupKind kind) {
        Members.Member a = reader(kind);
        a.consumer.commitSync(at(partition(0), 3, ""));
        members.remove(a);
        a.consumer.close();
        Members.Member b = join("b", kind, Map.of("auto.offset.reset", "none"));
        members.pollUntil(() -> b.records.size() == 2);
        assertThat(b.offsets()).containsExactly(3L, 4L);
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource
    @DisplayName("automatic commits are written at the interval and at close")
    void autoCommit(GroupKind kind) {
        topicWith(1, 5);
        Members.Member a = join(
                "a", kind, Map.of("enable.auto.commit", true, "auto.commit.interval.ms", 200, "max.poll.records", 1));
        members.pollUntil(() -> cluster.committed(group).containsKey(partition(0)));
        members.pollUntil(() -> a.records.size() == 5);
        members.remove(a);
        a.consumer.close();
        assertThat(cluster.committed(group).get(partition(0)).offset()).isEqualTo(5);
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource
    @DisplayName("a consumer of assigned partitions commits to a group without members")
    void assignedCommits(GroupKind kind) {
        topicWith(1, 1);
        Consumer<byte[], byte[]> consumer = cluster.consumer(kind.with(Map.of("group.id", group)));
        try (consumer) {
            consumer.assign(List.of(partition(0)));
            consumer.commitSync(at(partition(0), 1, "by hand"));
        }
        assertThat(cluster.committed(group).get(partition(0))).isEqualTo(new OffsetAndMetadata(1, "by hand"));
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource
    @DisplayName("who is out of the group without knowing commits nothing, but under the consumer protocol: that client"
            + " leaves its epoch out then, and a group without members stores it under what others have committed")
    void outOfTheGroup(GroupKind kind) {
        topicWith(1, 5);
        Members.Member a = join("a", kind, Map.of("max.poll.interval.ms", 1_000));
        members.pollUntil(() -> a.records.size() == 5);
        Members.Member b = join("b", kind);
        members.remove(a);
        members.pollUntil(() -> b.consumer.assignment().size() == 1);
        b.consumer.commitSync(at(partition(0), 5, "later"));
        assertThatThrownBy(() -> a.consumer.commitSync(at(partition(0), 2, "earlier")))
                .isInstanceOf(CommitFailedException.class);
        members.remove(b);
        b.consumer.close();
        Throwable refused = catchThrowable(() -> a.consumer.commitSync(at(partition(0), 2, "earlier")));
        boolean stored = kind == GroupKind.CONSUMER;
        if (stored) {
            assertThat(refused).isNull();
        } else {
            assertThat(refused).isInstanceOf(CommitFailedException.class);
        }
        assertThat(cluster.committed(group).get(partition(0)).offset()).isEqualTo(stored ? 2 : 5);
        a.consumer.close();
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource
    @DisplayName(
            "a commit that names a topic that is gone stores the rest, and is not answered for good: it may come back")
    void topicThatIsGone(GroupKind kind) {
        topicWith(1, 1);
        TopicPartition gone = new TopicPartition(topic + "-gone", 0);
        cluster.createTopic(gone.topic(), 1);
        Consumer<byte[], byte[]> consumer = cluster.consumer(kind.with(Map.of("group.id", group)));
        try (consumer) {
            consumer.assign(List.of(partition(0), gone));
            consumer.commitSync(Map.of(partition(0), new OffsetAndMetadata(0), gone, new OffsetAndMetadata(0)));
            cluster.deleteTopic(gone.topic());
            Map<TopicPartition, OffsetAndMetadata> both =
                    Map.of(partition(0), new OffsetAndMetadata(1), gone, new OffsetAndMetadata(1));
            assertThatThrownBy(() -> consumer.commitSync(both, Duration.ofSeconds(2)))
                    .isInstanceOf(TimeoutException.class);
        }
        assertThat(cluster.committed(group)).containsOnlyKeys(partition(0));
        assertThat(cluster.committed(group).get(partition(0)).offset()).isEqualTo(1);
    }
}
