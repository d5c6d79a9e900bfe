package dev.laneway.engine.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.Options;
import dev.laneway.engine.HandConsumer;
import dev.laneway.engine.Machine;
import dev.laneway.engine.handle.HandlerSpec;
import dev.laneway.engine.track.Track;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class TimersTest {
    private final Timers timers = new Timers();
    private final List<String> fired = new ArrayList<>();

    @Test
    @DisplayName("B42 what is due is run, the earliest first, and nothing earlier")
    void inOrder() {
        note(30, "c");
        note(10, "a");
        note(20, "b");
        note(20, "b again");
        timers.fire(20);
        assertThat(fired).containsExactly("a", "b", "b again");
        assertThat(timers.untilNext(20, 1_000)).isEqualTo(10);
        assertThat(timers.untilNext(35, 1_000)).isZero();
        timers.fire(35);
        assertThat(timers.untilNext(35, 1_000)).isEqualTo(1_000);
    }

    @Test
    @DisplayName("The clock may be about to wrap round")
    void wraps() {
        note(Long.MIN_VALUE + 5, "late");
        note(Long.MAX_VALUE - 5, "early");
        timers.fire(Long.MAX_VALUE);
        assertThat(fired).containsExactly("early");
        timers.fire(Long.MIN_VALUE + 5);
        assertThat(fired).containsExactly("early", "late");
    }

    @Test
    @DisplayName("B46 what waits for a track that is dropped is run at once, in order, and kept no longer")
    void hastens() {
        Machine machine = new Machine(
                new HandHost(),
                Options.DEFAULTS,
                new HandlerSpec.Plain<>(new ByteArrayDeserializer(), new ByteArrayDeserializer(), record -> {}),
                new HandConsumer(),
                null);
        Track dropped = machine.track(new TopicPartition("orders", 0), 0, null);
        Track kept = machine.track(new TopicPartition("orders", 1), 0, null);
        timers.add(30, dropped, () -> fired.add("first"));
        timers.add(50, dropped, () -> fired.add("third"));
        timers.add(40, dropped, () -> fired.add("second"));
        timers.add(20, kept, () -> fired.add("kept"));
        note(10, "of no track");
        timers.hasten(dropped);
        assertThat(fired).containsExactly("first", "second", "third");
        assertThat(timers.size()).isEqualTo(2);
        timers.fire(100);
        assertThat(fired).containsExactly("first", "second", "third", "of no track", "kept");
    }

    private void note(long dueNanos, String what) {
        timers.add(dueNanos, () -> fired.add(what));
    }
}
