package dev.laneway.engine.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.engine.Prove;
import java.util.function.LongConsumer;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The whole engine in virtual time, the seeds that each build runs. Each test takes those of its theme. {@link Prove}
 * runs others.
 */
@Execution(ExecutionMode.CONCURRENT)
@DisplayName("Simulation")
class SimulationTest {
    private static final long FIRST = 1;
    private static final long SEEDS = 1_000;

    @Test
    @DisplayName("B90 B1 B18 B20 B25 one member: everything is done in order, once, and committed when it is done")
    void steady() {
        run(SimTheme.STEADY);
    }

    @Test
    @DisplayName("B90 B1 B19 B32 B33 B34 B36 B97 B138 members come and go in peace: nothing is handled twice")
    void graceful() {
        run(SimTheme.GRACEFUL);
    }

    @Test
    @DisplayName("B90 B1 B14 B15 B19 B35 B36 B38 B139 crashes, evictions, outages, lost commits: nothing is lost")
    void storm() {
        run(SimTheme.STORM);
    }

    @Test
    @DisplayName("B90 B1 B18 B42 B43 B44 B46 B47 B49 handlers and producers fail: order and delays are kept")
    void failing() {
        run(SimTheme.FAILING);
    }

    @Test
    @DisplayName("B90 B17 at-most-once: no crash repeats a record, and each loses a poll at most")
    void ahead() {
        run(SimTheme.AHEAD);
    }

    @Test
    @DisplayName("B90 B1 B18 B48 batches keep their size and the order of their lanes")
    void batches() {
        run(SimTheme.BATCHES);
    }

    @Test
    @DisplayName("B90 B1 B12 B13 B29 retention, compaction and transactions under the reader hold nothing back")
    void log() {
        run(SimTheme.LOG);
    }

    @Test
    @DisplayName("B90 B1 B26 B53 B54 B59 pause, resume, seek, drain and close come at any time and are answered")
    void control() {
        run(SimTheme.CONTROL);
    }

    @Test
    @DisplayName("B90 B18 B60 B61 B64 transactions: readers see the outputs of each input once and in order")
    void exactlyOnce() {
        run(SimTheme.EXACTLY_ONCE);
    }

    @Test
    @DisplayName("B90 B66 B68 B70 B71 streams: order, demand, ends and commits hold whatever members do")
    void streams() {
        run(SimTheme.STREAMS);
    }

    @Test
    @DisplayName("B90 B1 a partition without leader, topics that grow: all others get on meanwhile, and are committed")
    void apart() {
        run(SimTheme.APART);
    }

    @Test
    @DisplayName("B90 B98 B103 groups begin where they may, and nowhere else, whoever comes, goes or is late")
    void starts() {
        run(SimTheme.STARTS);
    }

    @Test
    @DisplayName("B90 B1 B109 topics are deleted and created again: what is written since is done, all others get on")
    void recreated() {
        run(SimTheme.RECREATED);
    }

    @Test
    @DisplayName(
            "B90 B1 B3 B4 B113 logs are cut under the reader, and under maps: what stands there in the end is done")
    void cut() {
        run(SimTheme.CUT);
    }

    @Test
    @DisplayName("B90 B91 B92 B100 share groups: what is acknowledged is done, no delivery is wasted, all gets done")
    void share() {
        run(SimTheme.SHARE);
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {101_063, 103_883})
    @DisplayName("B35 where a partition cannot start for good, nothing is polled of another that nobody has placed")
    void foundLater(long seed) {
        replayable(seed);
    }

    @Test
    @DisplayName("B100 a member of a share group that ends acquires nothing more when its renewals have failed")
    void acquiresNothingAtItsEnd() {
        replayable(624_996);
    }

    @Test
    @DisplayName("B3 B109 a map of the topic that was made anew counts for its records")
    void mapOfTheNewTopic() {
        replayable(204_924);
    }

    @Test
    @DisplayName("B116 a snapshot tells of what is done and has yet to be fetched again")
    void doneBeyondThePosition() {
        replayable(202_783);
    }

    @Test
    @DisplayName("B17 what a member commits less of when it gives a partition up is begun by the next owner, not lost")
    void begunByTheNextOwner() {
        replayable(203_932);
    }

    @Test
    @DisplayName("the same seed makes the same trace")
    void repeats() {
        seeds(
                2L * SimTheme.cycle(),
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
            throw new AssertionError("run it again: " + Prove.command(seed) + "\n" + failure.getMessage(), failure);
        }
    }

    private static void seeds(long most, LongConsumer run) {
        LongStream.range(FIRST, FIRST + Math.min(most, SEEDS)).forEach(run);
    }
}
