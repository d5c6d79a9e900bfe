package dev.laneway.ops.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.lifecycle.AfterContainer;

/** What no autoscaler may do, whatever happens to it. Each build makes the same tries. */
class ScalingLoopPropertyTest {
    private static final int HISTORIES = 100_000;
    private static final int TURNS = 15;
    private static final AtomicLong CHANGES = new AtomicLong();

    @Property(tries = HISTORIES, seed = "1", shrinking = ShrinkingMode.OFF)
    @Label("B192 in 100,000 random lives no autoscaler goes to zero or beyond bounds, flaps, or acts on stale data")
    void holds(@ForAll long seed) {
        LoopHistory history = new LoopHistory(seed);
        history.live(TURNS);
        CHANGES.addAndGet(history.changes);
        assertThat(history.broken).as("seed %s", seed).isEmpty();
    }

    /** Rules about changes say nothing where there are none. */
    @AfterContainer
    static void hasChanged() {
        assertThat(CHANGES.get()).isGreaterThan(HISTORIES / 10);
    }
}
