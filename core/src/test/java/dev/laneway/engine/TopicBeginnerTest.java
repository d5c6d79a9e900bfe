package dev.laneway.engine;

import static dev.laneway.engine.Records.ORDERS_0;
import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.Options;
import dev.laneway.Outcome;
import dev.laneway.StartPosition;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The member with partition 0 finds the starts of a whole topic, as long as it has that partition. */
@DisplayName("The member that begins a topic")
class TopicBeginnerTest {
    private static final TopicPartition ORDERS_1 = new TopicPartition("orders", 1);
    private static final long END = 100;

    private final HandEngine member = new HandEngine(
            Options.DEFAULTS.withStartPosition(StartPosition.latest()),
            (record, context) -> CompletableFuture.completedFuture(Outcome.done()));

    @BeforeEach
    void topic() {
        member.consumer.updatePartitions("orders", List.of(partition(0), partition(1)));
        member.consumer.updateEndOffsets(Map.of(ORDERS_1, END));
    }

    private static PartitionInfo partition(int number) {
        Node node = new Node(0, "broker", 9092);
        return new PartitionInfo("orders", number, node, new Node[] {node}, new Node[] {node});
    }

    @Test
    @DisplayName("B98 commits the starts of other members with its own")
    void commitsAll() {
        member.assign(END, ORDERS_0).turn();
        assertThat(member.consumer.commits)
                .containsExactly(Map.of(ORDERS_0, new OffsetAndMetadata(END), ORDERS_1, new OffsetAndMetadata(END)));
    }

    @Test
    @DisplayName("B98 leaves them to the next one when it gives its part of the topic up before they are committed")
    void givesUp() {
        member.consumer.refusals.add(new TimeoutException("no broker answers"));
        member.assign(END, ORDERS_0).turn(); // It has them anew, and waits before it sends them again.
        assertThat(member.consumer.commits).isEmpty();
        member.assign();
        for (int i = 0; i < 100; i++) {
            member.turn().host.pass(100);
        }
        assertThat(member.consumer.commits).isEmpty();
    }
}
