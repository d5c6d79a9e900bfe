package dev.laneway.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.Ordering;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.internals.AutoOffsetResetStrategy;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** When a record leaves the cursor before it runs, one call at a time. */
class TrackTest {
    private static final int NOBODY = -1;

    private final Machine machine = new Machine(
            new HandHost(),
            Scene.options(Ordering.KEY, 1_000),
            Scene.plain(new Handled(Ordering.KEY)),
            new MockConsumer<>(AutoOffsetResetStrategy.EARLIEST.name()),
            null);
    private final Track track = machine.track();

    TrackTest() {
        StringBuilder keys = new StringBuilder();
        for (char key = 'A'; keys.length() < 2 * Scheduler.TURN; key++) {
            keys.append(key);
        }
        track.append(Records.chunk(0, keys.toString()), keys.length());
    }

    @Test
    @DisplayName("B21 where a runner waited at its first record, the next ones leave the cursor before they run")
    void apart() {
        track.claim(machine.worker());
        assertThat(track.runningOffset()).isZero();
        for (int started = 2; started <= Scheduler.TURN + 1; started++) {
            boolean starts = started == 2 ? track.steal(machine.worker()) : track.claim(machine.worker());
            assertThat(starts).isTrue();
            assertThat(track.runningOffset()).isEqualTo(NOBODY);
            assertThat(track.isClaimable()).isTrue();
            assertThat(track.busy()).isEqualTo(started);
        }
        // Not for ever: the next one shows whether handlers still wait.
        track.claim(machine.worker());
        assertThat(track.runningOffset()).isEqualTo(Scheduler.TURN + 1);
        track.steal(machine.worker());
        assertThat(track.runningOffset()).isEqualTo(NOBODY);
    }

    @Test
    @DisplayName("B21 a runner that had got on before it stood still says nothing about the next records")
    void gotOn() {
        Worker runner = machine.worker();
        track.claim(runner);
        track.glide(0, 1);
        track.steal(machine.worker());
        assertThat(track.runningOffset()).isEqualTo(2);
        assertThat(track.busy()).isEqualTo(2);
    }
}
