package dev.laneway.engine.track;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.Ordering;
import dev.laneway.engine.Handled;
import dev.laneway.engine.Machine;
import dev.laneway.engine.Records;
import dev.laneway.engine.Scene;
import dev.laneway.engine.runtime.HandHost;
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
        for (char key = 'A'; keys.length() < 2 * Work.TURN; key++) {
            keys.append(key);
        }
        track.append(Records.chunk(0, keys.toString()), keys.length());
    }

    @Test
    @DisplayName("B21 where a runner waited at its first record, the next ones leave the cursor before they run")
    void apart() {
        Thread own = Thread.currentThread();
        assertThat(track.claim(own)).isInstanceOf(CursorRun.class);
        assertThat(track.runningOffset()).isZero();
        for (int started = 2; started <= Work.TURN + 1; started++) {
            assertThat(started == 2 ? track.steal(own) : track.claim(own)).isInstanceOf(Lane.class);
            assertThat(track.runningOffset()).isEqualTo(NOBODY);
            assertThat(track.isClaimable()).isTrue();
            assertThat(track.busy()).isEqualTo(started);
        }
        // Not for ever: the next one shows whether handlers still wait.
        track.claim(own);
        assertThat(track.runningOffset()).isEqualTo(Work.TURN + 1);
        track.steal(own);
        assertThat(track.runningOffset()).isEqualTo(NOBODY);
    }

    @Test
    @DisplayName("B21 a runner that had got on before it stood still says nothing about the next records")
    void gotOn() {
        CursorRun run = Machine.claim(track);
        assertThat(run.glide(run.record())).isSameAs(run.record());
        track.steal(Thread.currentThread());
        assertThat(track.runningOffset()).isEqualTo(2);
        assertThat(track.busy()).isEqualTo(2);
    }
}
