package dev.laneway.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.LongConsumer;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The whole engine in virtual time. {@code -Dseed=N} is the first seed, {@code -Dseeds=N} says how many there are. Each
 * test takes those of its theme.
 */
@ExtendWith(Quiet.class)
@DisplayName("Simulation")
class SimulationTest {
    private static final long FIRST = Long.getLong("seed", 1);
    private static final long SEEDS = Long.getLong("seeds", 1_000);

    @Test
    @DisplayName("B1 B18 one member: everything is done in order, once, and committed when it is done")
    void steady() {
        run(SimTheme.STEADY);
    }

    @Test
    @DisplayName("the same seed makes the same trace")
    void repeats() {
        seeds(
                20,
                seed -> assertThat(SimWorld.run(seed))
                        .as("hash of seed %d", seed)
                        .isEqualTo(SimWorld.run(seed)));
    }

    private static void run(SimTheme theme) {
        seeds(SEEDS, seed -> {
            if (SimTheme.of(seed) == theme) {
                replayable(seed);
            }
        });
    }

    private static void replayable(long seed) {
        try {
            SimWorld.run(seed);
        } catch (AssertionError failure) {
            throw new AssertionError(
                    "run it again: mvn -q -pl core -am test -Dtest=SimulationTest"
                            + " -Dsurefire.failIfNoSpecifiedTests=false -Dseed=" + seed + " -Dseeds=1\n"
                            + failure.getMessage(),
                    failure);
        }
    }

    private static void seeds(long most, LongConsumer run) {
        LongStream.range(FIRST, FIRST + Math.min(most, SEEDS)).forEach(run);
    }
}
