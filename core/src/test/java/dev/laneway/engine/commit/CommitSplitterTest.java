package dev.laneway.engine.commit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.engine.HandConsumer;
import dev.laneway.engine.offsets.OffsetMap;
import dev.laneway.engine.offsets.Progress;
import dev.laneway.engine.track.Partition;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.RetriableCommitFailedException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class CommitSplitterTest {
    private final Exception unknown = new RetriableCommitFailedException(new UnknownTopicOrPartitionException());

    private final CommitterFixture fixture = new CommitterFixture();
    private final HandConsumer consumer = fixture.consumer;
    private final CommitSplitter requests = new CommitSplitter(fixture.host, fixture.assignment);

    private Partition add(String topic, int number) {
        Partition partition = fixture.machine.partition(new TopicPartition(topic, number), 0);
        fixture.assignment.add(List.of(partition));
        return partition;
    }

    @Test
    @DisplayName("B110 no request is larger than the limit, and each partition is in one of them")
    void bySize() {
        Map<Partition, Progress> progress = new LinkedHashMap<>();
        for (int i = 0; i < 2_000; i++) {
            progress.put(add("wide", i), new Progress(i, "x".repeat(OffsetMap.DEFAULT_LIMIT)));
        }
        List<Map<Partition, Progress>> all = requests.of(progress);
        assertThat(all).hasSizeBetween(45, 60).allMatch(request -> request.size() <= 42);
        Map<Partition, Progress> together = new LinkedHashMap<>();
        all.forEach(together::putAll);
        assertThat(together).isEqualTo(progress);
        assertThat(requests.split(all.getFirst())).isTrue();
        assertThat(requests.of(progress)).hasSizeBetween(90, 120);
    }

    @Test
    @DisplayName("B110 a map that is too large by itself is shortened until it fits")
    void oneTooLarge() {
        fixture.everySecondDone(2_000);
        AsyncCommitter committer = fixture.async();
        fixture.turn(committer, 0);
        fixture.turn(committer, 1_000);
        int length = length();
        while (length > 300) {
            consumer.unanswered
                    .removeLast()
                    .answer(new KafkaException("Unexpected error in commit: " + Errors.UNKNOWN_SERVER_ERROR.message()));
            fixture.turn(committer, 100);
            assertThat(length()).isLessThan(length);
            length = length();
        }
        assertThat(fixture.fatal).isEmpty();
        consumer.unanswered.removeLast().answer(null);
        assertThat(fixture.partition.committed).isNotNull();
    }

    @Test
    @DisplayName("B109 one that the broker does not know fails no other, and is asked for now and then")
    void unknownAsync() {
        Partition gone = add("gone", 0);
        Partition gone1 = add("gone", 1);
        AsyncCommitter committer = fixture.async();
        fixture.turn(committer, 0);
        fixture.turn(committer, 1_000);
        consumer.unanswered.removeLast().answer(unknown);
        fixture.turn(committer, 100);
        assertThat(topics()).containsExactly("orders", "gone");
        consumer.unanswered.poll().answer(null);
        consumer.unanswered.poll().answer(unknown);
        assertThat(fixture.partition.committed).isNotNull();
        assertThat(fixture.commits.trouble()).isEmpty();
        fixture.turn(committer, 999);
        assertThat(consumer.unanswered).isEmpty();
        fixture.turn(committer, 1_000);
        assertThat(topics()).as("its partitions one by one").containsExactly("gone", "gone");
        consumer.unanswered.poll().answer(null);
        consumer.unanswered.poll().answer(null);
        assertThat(gone.committed).isNotNull();
        assertThat(gone1.committed).isNotNull();
        assertThat(fixture.fatal).isEmpty();
    }

    @Test
    @DisplayName("B109 the last commit of revoked partitions is made at once, whatever else is not known any more")
    void unknownLast() {
        Partition gone = add("gone", 0);
        consumer.unknown = "gone";
        long start = fixture.host.nowNanos;
        new SyncCommitter(fixture.commits, 1_000_000_000).flush(fixture.assignment.all());
        assertThat(fixture.partition.committed).isNotNull();
        assertThat(gone.committed).isNull();
        assertThat(fixture.host.nowNanos - start).isLessThan(1_000_000_000);
        assertThat(consumer.commits)
                .as("all together, then by topic, and no third time")
                .hasSize(3);
    }

    private int length() {
        return consumer.unanswered.getLast().metadata(CommitterFixture.ID).length();
    }

    private List<String> topics() {
        return consumer.unanswered.stream()
                .map(sent -> sent.offsets().keySet().iterator().next().topic())
                .toList();
    }
}
