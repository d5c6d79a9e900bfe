package dev.laneway.engine.start;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.engine.runtime.HandHost;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The topics that a member begins for its group")
class TopicStartsTest {
    private final HandHost host = new HandHost();
    private final List<PartitionStart> forgotten = new ArrayList<>();
    private final TopicStarts companions = new TopicStarts(host, forgotten::add);
    private final PartitionStart first = start("orders", 0);

    private PartitionStart start(String topic, int partition) {
        return new PartitionStart(new TopicPartition(topic, partition), true, host.nanoTime());
    }

    private PartitionStart companion() {
        return companions
                .begin("orders", Set.of(new TopicPartition("orders", 1)))
                .getFirst();
    }

    @Test
    @DisplayName("B98 a topic is begun at once: nothing of it is committed before all its starts are known")
    void together() {
        PartitionStart other = companion();
        PartitionStart late = start("orders", 2);
        first.offset = 5;
        other.offset = 7;
        assertThat(companions.together(List.of(first), List.of(first, late))).isEmpty();
        late.offset = 9;
        assertThat(companions.together(List.of(first), List.of(first, late))).containsExactly(first);
        assertThat(companions.together(List.of(other), List.of(first, late))).containsExactly(other);
    }

    @Test
    @DisplayName("B98 B104 a topic that is begun holds up no other one")
    void otherTopics() {
        companion();
        PartitionStart elsewhere = start("bills", 0);
        elsewhere.offset = 3;
        assertThat(companions.together(List.of(elsewhere), List.of(first, elsewhere)))
                .containsExactly(elsewhere);
    }

    @Test
    @DisplayName("B104 a companion without an answer is left to its member after a while")
    void silent() {
        PartitionStart other = companion();
        first.offset = 5;
        assertThat(companions.together(List.of(first), List.of(first))).isEmpty();
        host.nowNanos += 5_000_000_000L;
        assertThat(companions.together(List.of(first), List.of(first))).containsExactly(first);
        assertThat(forgotten).containsExactly(other);
        assertThat(companions.isEmpty()).isTrue();
    }

    @Test
    @DisplayName("B98 who begins a topic no more keeps no start of others for it")
    void left() {
        PartitionStart other = companion();
        companions.leave("orders");
        assertThat(forgotten).containsExactly(other);
        assertThat(companions.begins("orders")).isFalse();
    }

    @Test
    @DisplayName("B98 a topic that has begun is not begun here any more")
    void rests() {
        PartitionStart other = companion();
        companions.begun(other);
        companions.rest(List.of(first));
        assertThat(companions.begins("orders")).isTrue();
        companions.rest(List.of());
        assertThat(companions.begins("orders")).isFalse();
    }

    @Test
    @DisplayName("B98 members without partition 0 lose patience one after the other")
    void instead() {
        PartitionStart second = start("orders", 1);
        PartitionStart third = start("orders", 2);
        host.nowNanos += 10_000_000_000L;
        assertThat(companions.beginsInstead(second, List.of(second))).isTrue();
        assertThat(companions.beginsInstead(third, List.of(third))).isFalse();
        host.nowNanos += 10_000_000_000L;
        assertThat(companions.beginsInstead(third, List.of(third))).isTrue();
    }
}
