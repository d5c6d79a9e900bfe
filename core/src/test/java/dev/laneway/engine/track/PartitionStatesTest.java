package dev.laneway.engine.track;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.Options;
import dev.laneway.engine.HandConsumer;
import dev.laneway.engine.Machine;
import dev.laneway.engine.handle.HandlerSpec;
import dev.laneway.engine.runtime.HandHost;
import java.util.List;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.Test;

class PartitionStatesTest {
    private final Machine machine = new Machine(
            new HandHost(),
            Options.DEFAULTS,
            new HandlerSpec.Plain<>(new ByteArrayDeserializer(), new ByteArrayDeserializer(), record -> {}),
            new HandConsumer(),
            null);
    private final Assignment assignment = new Assignment();
    private final PartitionStates<StringBuilder> states =
            new PartitionStates<>(assignment, partition -> new StringBuilder(partition.id.toString()));
    private final Partition zero = partition(0);
    private final Partition one = partition(1);
    private final Partition two = partition(2);

    @Test
    void thoseThatStayKeepTheirs() {
        assignment.add(List.of(zero, one));
        StringBuilder ofOne = states.of(one).append(" seen");
        List<StringBuilder> before = states.all();
        assertThat(before).containsExactly(states.of(zero), ofOne);
        assertThat(states.all()).as("nothing has changed").isSameAs(before);
        assignment.remove(List.of(zero));
        assignment.add(List.of(two));
        assertThat(states.all()).containsExactly(ofOne, states.of(two));
        assertThat(states.peek(zero)).isNull();
    }

    @Test
    void thatOfTheNextAssignmentIsNew() {
        assignment.add(List.of(zero));
        StringBuilder before = states.of(zero);
        Partition again = partition(0);
        assignment.add(List.of(again));
        assertThat(states.all()).containsExactly(states.of(again)).doesNotContain(before);
        assertThat(states.peek(zero)).isNull();
    }

    @Test
    void whatIsKeptBeforeThePartitionIsAssignedStays() {
        StringBuilder early = states.of(zero);
        assertThat(states.all()).isEmpty();
        assignment.add(List.of(zero));
        assertThat(states.all()).containsExactly(early);
    }

    private Partition partition(int number) {
        return machine.partition(new TopicPartition("orders", number), 0);
    }
}
