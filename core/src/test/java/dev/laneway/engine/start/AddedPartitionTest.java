package dev.laneway.engine.start;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Whether a start position counts for a partition that the group has not committed")
class AddedPartitionTest {
    private static final OffsetAndMetadata FIVE = new OffsetAndMetadata(5);

    private static TopicPartition id(int number) {
        return new TopicPartition("orders", number);
    }

    private static Map<TopicPartition, Optional<OffsetAndMetadata>> topic(int partitions, Integer... committed) {
        Map<TopicPartition, Optional<OffsetAndMetadata>> topic = new HashMap<>();
        for (int number = 0; number < partitions; number++) {
            topic.put(id(number), List.of(committed).contains(number) ? Optional.of(FIVE) : Optional.empty());
        }
        return topic;
    }

    @Test
    @DisplayName("B98 the member with partition 0 begins the topic, for those of others too; they wait for it")
    void begins() {
        assertThat(AddedPartition.of(List.of(id(0), id(1)), topic(4), true))
                .containsEntry(id(0), new AddedPartition.Begins(Set.of(id(2), id(3))))
                .containsEntry(id(1), new AddedPartition.Begins(Set.of(id(2), id(3))));
        assertThat(AddedPartition.of(List.of(id(2)), topic(4), false))
                .containsEntry(id(2), new AddedPartition.Waits(Set.of(id(0), id(1), id(3))));
    }

    @Test
    @DisplayName("B98 what is committed meanwhile counts")
    void committed() {
        assertThat(AddedPartition.of(List.of(id(2)), topic(4, 0, 1, 2, 3), false))
                .containsEntry(id(2), new AddedPartition.Committed(FIVE));
    }

    @Test
    @DisplayName("B98 beside a committed one each partition was added later, before it too: several may come at once")
    void later() {
        assertThat(AddedPartition.of(List.of(id(0), id(3)), topic(4, 1, 2), true))
                .containsEntry(id(0), new AddedPartition.IsLater())
                .containsEntry(id(3), new AddedPartition.IsLater());
    }
}
