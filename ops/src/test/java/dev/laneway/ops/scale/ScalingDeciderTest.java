package dev.laneway.ops.scale;

import static dev.laneway.ops.scale.Given.START;
import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.ops.check.Cause;
import dev.laneway.ops.check.CheckResult.Outcome;
import dev.laneway.ops.check.Confidence;
import dev.laneway.ops.scale.Decision.Action;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Decisions on single moments. */
class ScalingDeciderTest {
    private static final ScalingPolicy USUAL = ScalingPolicy.USUAL;
    private static final ScalingPolicy BARE = USUAL.with(ScalingOption.MAX, 1)
            .with(ScalingOption.TARGET, 1)
            .with(ScalingOption.RESTART, 0)
            .with(ScalingOption.ALIGN, 0);

    @Test
    @DisplayName("B161 rule U1: 100 records/s done of 400 that come are a task for four times the members")
    void fourTimes() {
        ScalingMetrics metrics = Given.load(2, 0, 400, 100, 1.0);
        Decision decision = Given.settled(metrics, BARE);
        assertThat(decision.action()).isEqualTo(Action.UP);
        assertThat(decision.to().members()).isEqualTo(8);
        assertThat(decision.sentence()).startsWith("UP from 2 to 8: members are 400 % busy with what comes");
    }

    @ParameterizedTest
    @CsvSource({
        "10, 50, 100, 0.8, 10",
        "10, 110, 100, 1, 11",
        "16, 150, 100, 1, 24",
        "5, 100, 50, 1, 10",
        "10, 180, 90, 1, 20"
    })
    @DisplayName("B161 more members by target rate over true rate, as Flink's vertices")
    void asFlink(int members, double append, double trueRate, double target, int expected) {
        ScalingPolicy policy = BARE.with(ScalingOption.TARGET, target)
                .with(ScalingOption.REPLICAS_MAX, 200)
                .with(ScalingOption.STEP_UP, 200);
        ScalingMetrics metrics = Given.source(
                Given.load(members, 0, 0, 0, Math.min(1, append / trueRate)),
                SourceLoad.of("t", 0, 0, append, Math.min(append, trueRate)));
        assertThat(Given.settled(metrics, policy).to().members()).isEqualTo(expected);
    }

    @Test
    @DisplayName("B161 the guide's end: three members half busy, so that two at 75 % are enough after ten minutes")
    void guideScalesDown() {
        ScalingMetrics metrics = Given.load(3, 0, 3_000, 3_000, 0.5).withRestore(new RestoreLoad(64, 1, 2, 600, 60));
        ScalingPolicy policy = USUAL;
        Decision soon = Given.held(metrics, policy, 30, 10);
        assertThat(soon.action()).isEqualTo(Action.HOLD);
        assertThat(soon.sentence()).contains("2 would be enough", "not for a whole interval of 600 s");
        Decision later = Given.held(metrics, policy, 70, 10);
        assertThat(later.action()).isEqualTo(Action.DOWN);
        assertThat(later.to().members()).isEqualTo(2);
        assertThat(later.atMillis() - START).isEqualTo(600_000);
    }

    @Test
    @DisplayName("B161 what is well used stays, and the sentence says so")
    void stays() {
        Decision decision = Given.settled(Given.load(3, 10, 3_000, 3_000, 0.7), USUAL);
        assertThat(decision.action()).isEqualTo(Action.HOLD);
        assertThat(decision.sentence())
                .isEqualTo("HOLD at 3: members are 70 % busy and 0 s behind, which 3 members are right for.");
    }

    @Test
    @DisplayName("B161 a topic of which nothing is handled has no number of seconds to be behind")
    void behindForEver() {
        ScalingMetrics metrics = Given.source(
                Given.load(2, 0, 0, 0, 1.0),
                SourceLoad.of("orders", 32, 0, 400, 100),
                SourceLoad.of("invoices", 32, 500, 0, 0));
        assertThat(Given.settled(metrics, BARE).sentence())
                .contains(" busy with what comes and behind without an end in sight, and need ");
    }

    @Test
    @DisplayName("B161 a number of members between useful ones is raised to the next")
    void aligns() {
        Decision decision = Given.settled(Given.load(8, 0, 8_800, 8_000, 1.0), USUAL.with(ScalingOption.TARGET, 0.8));
        assertThat(decision.raw()).isEqualTo(12);
        assertThat(decision.aligned()).isEqualTo(16);
        assertThat(decision.to().members()).isEqualTo(16);
        Decision bounded = Given.settled(
                Given.load(8, 0, 8_800, 8_000, 1.0),
                USUAL.with(ScalingOption.TARGET, 0.8).with(ScalingOption.REPLICAS_MAX, 14));
        assertThat(bounded.to().members())
                .as("11 of at most 14 are as good as 14")
                .isEqualTo(11);
        assertThat(bounded.clampedBy()).containsExactly("replicas.max");
    }

    @ParameterizedTest
    @EnumSource(
            value = Cause.class,
            names = {
                "THROTTLED",
                "SLOW_ACKS",
                "KAFKA_BOUND",
                "EXTERNAL_CALL",
                "SMALL_HEAP",
                "GC",
                "READ_MEMORY",
                "WRITE_MEMORY",
                "DISK",
                "HOT_KEY",
                "SKEW",
                "TOO_FEW_PARTITIONS"
            })
    @DisplayName("B163 what more members would not help against is refused, with the remedy, however the lag grows")
    void vetoes(Cause cause) {
        ScalingMetrics metrics = Given.load(3, 1_000_000, 5_000, 1_000, 1.0).withVerdict(Given.limited(cause));
        Decision decision = Given.settled(metrics, USUAL);
        assertThat(decision.action()).isEqualTo(Action.HOLD);
        assertThat(decision.sentence()).startsWith("HOLD at 3: ").containsAnyOf("would not help", "memory helps");
        assertThat(decision.held().getFirst().rule().kind()).isEqualTo(ScalingRule.Kind.REFUSAL);
        ScalingVerdict unsure = new ScalingVerdict(Outcome.LIMITED, cause, "", Confidence.LOW);
        Decision guessed = Given.settled(metrics.withVerdict(unsure), USUAL);
        assertThat(guessed.action()).as("a guess forbids nothing").isEqualTo(Action.UP);
    }

    @Test
    @DisplayName("B163 where the processors are the limit, members are added; where there are enough, they get larger")
    void processors() {
        ScalingMetrics metrics = Given.load(3, 0, 5_000, 1_000, 1.0).withVerdict(Given.limited(Cause.CPU));
        assertThat(Given.settled(metrics, USUAL).action()).isEqualTo(Action.UP);
        ScalingMetrics full = metrics.withLoad(
                new GroupShape(32, 0, 0, 2, 0), List.of(SourceLoad.of("orders", 32, 0, 5_000, 1_000)), 1.0);
        ScalingPolicy policy = USUAL.with(ScalingOption.CORES_MAX, 4);
        Decision larger = Given.settled(full, policy);
        assertThat(larger.action()).isEqualTo(Action.RESIZE);
        assertThat(larger.to().cores()).isEqualTo(3);
        Decision advised = Given.settled(full, USUAL);
        assertThat(advised.action()).isEqualTo(Action.HOLD);
        assertThat(advised.sentence()).contains("32 partitions or tasks", "more processors");
    }

    @Test
    @DisplayName("B163 where memory is the limit, members get more of it, within bounds")
    void memory() {
        ScalingMetrics metrics = Given.load(2, 0, 10_000, 3_000, 1.0).withVerdict(Given.limited(Cause.READ_MEMORY));
        ScalingMetrics small =
                metrics.withLoad(new GroupShape(2, 0, 0, 4, 4_000_000_000L), metrics.sources(), metrics.busyShare());
        ScalingPolicy policy = USUAL.with(ScalingOption.MEMORY_MAX, 10e9);
        Decision larger = Given.settled(small, policy);
        assertThat(larger.action()).isEqualTo(Action.RESIZE);
        assertThat(larger.to()).isEqualTo(new GroupShape(2, 0, 0, 4, 6_000_000_000L));
        assertThat(larger.sentence()).contains("RESIZE memory from 4000 to 6000 MB", "caches are too small");
        Decision advised = Given.settled(small, policy.with(ScalingOption.QUOTA_MEMORY, 8e9));
        assertThat(advised.action()).isEqualTo(Action.HOLD);
    }

    @Test
    @DisplayName("B161 concurrency in the members comes before members, while processors and services have room")
    void concurrencyFirst() {
        ScalingMetrics metrics = Given.load(3, 0, 3_000, 1_000, 1.0);
        ScalingMetrics parallel = metrics.withLoad(new GroupShape(3, 16, 0, 2, 0), metrics.sources(), 1.0);
        ScalingPolicy policy = USUAL.with(ScalingOption.CONCURRENCY_MAX, 100);
        Decision tuned = Given.settled(parallel.withPressure(0.3, 1.0), policy);
        assertThat(tuned.action()).isEqualTo(Action.TUNE);
        assertThat(tuned.to().concurrency()).isEqualTo(32);
        assertThat(Given.settled(parallel.withPressure(0.85, 1.0), policy).action())
                .isEqualTo(Action.UP);
        assertThat(Given.settled(parallel.withPressure(0.3, 1.5), policy).action())
                .isEqualTo(Action.UP);
        assertThat(Given.settled(parallel.withPressure(null, null), policy).action())
                .isEqualTo(Action.UP);
        Decision external =
                Given.settled(parallel.withPressure(0.3, 1.0).withVerdict(Given.limited(Cause.EXTERNAL_CALL)), policy);
        assertThat(external.action()).as("calls are as quick as in calm").isEqualTo(Action.TUNE);
        Decision slow =
                Given.settled(parallel.withPressure(0.3, 2.0).withVerdict(Given.limited(Cause.EXTERNAL_CALL)), policy);
        assertThat(slow.action()).isEqualTo(Action.HOLD);
    }

    @Test
    @DisplayName("B161 stream threads come before members, up to two for each processor and one for each task")
    void threadsFirst() {
        ScalingMetrics metrics = Given.load(2, 0, 3_000, 1_000, 1.0).withPressure(0.2, null);
        ScalingPolicy policy = USUAL.with(ScalingOption.THREADS_MAX, 8);
        ScalingMetrics one = metrics.withLoad(new GroupShape(2, 0, 1, 4, 0), metrics.sources(), 1.0);
        assertThat(Given.settled(one, policy).to().threads()).isEqualTo(2);
        ScalingMetrics two = metrics.withLoad(new GroupShape(2, 0, 2, 1, 0), metrics.sources(), 1.0);
        assertThat(Given.settled(two, policy).action())
                .as("one processor, two threads")
                .isEqualTo(Action.UP);
    }

    @Test
    @DisplayName("B163 a source that has fewer partitions than it needs members gets none beyond")
    void tooFewPartitions() {
        ScalingMetrics metrics =
                Given.source(Given.load(6, 0, 0, 0, 1.0), SourceLoad.of("hot", 4, 9_000, 9_000, 1_000));
        Decision decision = Given.settled(metrics, USUAL);
        assertThat(decision.action()).isEqualTo(Action.HOLD);
        assertThat(Given.heldBack(decision)).contains(ScalingRule.TOO_FEW_PARTITIONS);
        assertThat(decision.sentence()).contains("add partitions, process by key in parallel");
    }

    @Test
    @DisplayName("B161 a backlog that is gone before tasks have moved is no reason to move them")
    void costOfChange() {
        ScalingMetrics metrics =
                Given.load(3, 900_000, 1_200, 2_400, 1.0).withRestore(new RestoreLoad(64, 1, 2, 600, 300));
        Decision decision = Given.settled(metrics, USUAL.with(ScalingOption.CATCH_UP, 300));
        assertThat(decision.action()).isEqualTo(Action.HOLD);
        assertThat(Given.heldBack(decision)).contains(ScalingRule.COST);
        assertThat(decision.sentence()).contains("what waits is gone in 750 s without a change");
        Decision overloaded =
                Given.settled(Given.load(3, 900_000, 3_000, 2_400, 1.0).withRestore(metrics.restore()), USUAL);
        assertThat(overloaded.action())
                .as("a lag that only grows is worth any move")
                .isEqualTo(Action.UP);
    }

    @Test
    @DisplayName("B161 members leave no faster than standbys can take over")
    void standbys() {
        ScalingMetrics metrics = Given.load(10, 0, 1_000, 1_000, 0.2).withRestore(new RestoreLoad(64, 1, 2, 600, 60));
        Decision decision = Given.held(metrics, USUAL, 370, 10);
        assertThat(decision.to().members()).isEqualTo(9);
        assertThat(decision.clampedBy()).containsExactly("step.down");
        Decision stateless = Given.held(metrics.withRestore(null), USUAL, 370, 10);
        assertThat(stateless.to().members()).as("at most 60 % at once").isEqualTo(4);
    }

    @Test
    @DisplayName("B161 without standbys as many leave as can be paused within the goal, and one where there is none")
    void goalAllowsPauses() {
        ScalingMetrics metrics = Given.load(16, 0, 1_000, 1_000, 0.2).withRestore(new RestoreLoad(32, 0, 0, 0, 10));
        assertThat(Given.held(metrics, USUAL, 370, 10).to().members()).isEqualTo(15);
        ScalingPolicy goal = USUAL.with(ScalingOption.LATENCY_GOAL, 45).with(ScalingOption.ALIGN, 0);
        Decision decision = Given.held(metrics, goal, 370, 10);
        assertThat(decision.to().members()).isEqualTo(7);
        assertThat(ChangeCost.of(16, 8, new RestoreLoad(32, 0, 0, 0, 10), 10).pauseSeconds())
                .isEqualTo(30);
        assertThat(ChangeCost.of(16, 7, new RestoreLoad(32, 0, 0, 0, 10), 10).pauseSeconds())
                .isEqualTo(40);
        assertThat(ChangeCost.of(16, 6, new RestoreLoad(32, 0, 0, 0, 10), 10).pauseSeconds())
                .isEqualTo(50);
    }

    @Test
    @DisplayName("B161 with a goal the mean busy share counts, until a partition waits for longer than the goal")
    void meanWithGoal() {
        ScalingPolicy goal = USUAL.with(ScalingOption.LATENCY_GOAL, 30);
        ScalingMetrics skewed = waiting(5).withMeanBusyShare(0.7);
        assertThat(Given.settled(skewed, goal).action()).isEqualTo(Action.HOLD);
        assertThat(Given.settled(skewed, USUAL).action()).as("without a goal").isEqualTo(Action.UP);
        assertThat(Given.settled(waiting(null).withMeanBusyShare(0.7), goal).action())
                .as("nobody knows how long they wait")
                .isEqualTo(Action.UP);
        Decision late = Given.settled(waiting(31).withMeanBusyShare(0.7), goal);
        assertThat(late.action()).isEqualTo(Action.UP);
        assertThat(late.to().members()).isEqualTo(11);
        Decision calm = Given.settled(waiting(31).withLoad(GroupShape.of(8), List.of(source(31.0)), 0.75), goal);
        assertThat(calm.sentence()).contains("records of one partition wait 31 s, more than the goal of 30 s");
    }

    private static ScalingMetrics waiting(@Nullable Integer seconds) {
        return Given.source(Given.load(8, 0, 0, 0, 0.95), source(seconds == null ? null : (Double) (double) seconds));
    }

    private static SourceLoad source(@Nullable Double seconds) {
        return SourceLoad.of("orders", 32, 40, 800, 800).withLongestWait(seconds);
    }

    @Test
    @DisplayName("B161 fewer members must not make the busiest one fuller than it can be")
    void busiestStays() {
        ScalingPolicy goal = USUAL.with(ScalingOption.LATENCY_GOAL, 30);
        ScalingMetrics skewed =
                Given.source(Given.load(16, 0, 0, 0, 0.7), source(1.0)).withMeanBusyShare(0.4);
        assertThat(Given.held(skewed, goal, 370, 10).to().members())
                .as("with three partitions instead of two it would be 105 % busy")
                .isEqualTo(16);
        ScalingMetrics even =
                Given.source(Given.load(16, 0, 0, 0, 0.45), source(1.0)).withMeanBusyShare(0.4);
        assertThat(Given.held(even, goal, 370, 10).to().members()).isEqualTo(11);
    }

    @Test
    @DisplayName("B161 a load that has clearly risen counts at once for a goal, but only when two looks have seen it")
    void followsSteps() {
        ScalingPolicy goal = USUAL.with(ScalingOption.LATENCY_GOAL, 30);
        ScalingMetrics step = Given.source(
                Given.load(8, 0, 0, 0, 0.5),
                SourceLoad.of("orders", 32, 0, 900, 800).withRisenRate(1_600.0));
        assertThat(Given.settled(step, USUAL).action()).as("by the mean").isEqualTo(Action.HOLD);
        assertThat(Given.settled(step, goal).to().members()).isEqualTo(11);
        Decision rising = Given.settled(step.withRising(true), goal);
        assertThat(rising.action()).isEqualTo(Action.HOLD);
        assertThat(Given.fired(rising)).contains(ScalingRule.RISING);
    }

    @Test
    @DisplayName("B161 what waits when new members are there counts for a goal, not only what waits now")
    void lagAtArrival() {
        ScalingMetrics metrics = Given.load(4, 0, 2_000, 1_000, 1.0);
        ScalingPolicy goal = USUAL.with(ScalingOption.LATENCY_GOAL, 1).with(ScalingOption.ALIGN, 0);
        // In the 60 s of a change 60,000 records come that nobody does; 58,000 are too many for the goal, gone in 300
        // s.
        assertThat(Given.settled(metrics, goal).to().members()).isEqualTo(12);
        assertThat(Given.settled(metrics, goal.with(ScalingOption.RECOVER, 10)).raw())
                .isEqualTo(32);
    }

    @Test
    @DisplayName("B161 the useful number before is taken if its fullest member stays below the limit")
    void alignsDown() {
        assertThat(Given.settled(Given.load(8, 0, 1_025, 1_000, 1.0), USUAL)
                        .to()
                        .members())
                .as("8.2 members' work: 12 at 70 %, and 11, with three partitions at most, at 77 %")
                .isEqualTo(11);
        assertThat(Given.settled(Given.load(8, 0, 1_100, 1_000, 1.0), USUAL)
                        .to()
                        .members())
                .as("8.8 members' work: 11 would be at 83 %")
                .isEqualTo(16);
    }

    @Test
    @DisplayName("B161 the latency goal asks for members before the load does")
    void latencyGoal() {
        ScalingMetrics metrics = Given.load(4, 20_000, 2_900, 3_000, 0.75);
        assertThat(Given.settled(metrics, USUAL.with(ScalingOption.CATCH_UP, 86_400))
                        .action())
                .isEqualTo(Action.HOLD);
        ScalingPolicy goal = USUAL.with(ScalingOption.CATCH_UP, 86_400)
                .with(ScalingOption.LATENCY_GOAL, 1)
                .with(ScalingOption.PROJECTION, 0)
                .with(ScalingOption.RECOVER, 10);
        Decision decision = Given.settled(metrics, goal);
        assertThat(decision.action()).isEqualTo(Action.UP);
        assertThat(Given.fired(decision)).contains(ScalingRule.LATENCY_GOAL);
    }

    @Test
    @DisplayName("B161 schedules move the bounds, and excluded periods forbid all changes")
    void schedules() {
        ScalingMetrics metrics = Given.load(2, 0, 100, 100, 0.7);
        ScalingPolicy sundays = ScalingPolicy.of(Map.of("schedule.sunday", "0 15 * * 0 | 2h | 6..20"));
        Decision decision = Given.settled(metrics, sundays);
        assertThat(decision.action()).isEqualTo(Action.UP);
        assertThat(decision.to().members()).isEqualTo(6);
        ScalingPolicy never = sundays.with("excluded.release", "0 * * * * | 60m");
        Decision excluded = Given.settled(metrics, never);
        assertThat(excluded.action()).isEqualTo(Action.HOLD);
        assertThat(excluded.sentence()).contains("excludes changes in period release", "otherwise up from 2 to 6");
        ScalingPolicy mondays = ScalingPolicy.of(Map.of("schedule.monday", "0 15 * * 1 | 2h | 6..20"));
        assertThat(Given.settled(metrics, mondays).action()).isEqualTo(Action.HOLD);
    }

    @Test
    @DisplayName("B163 quotas of processors and memory bound the members")
    void quotas() {
        ScalingMetrics metrics = Given.load(3, 0, 9_000, 3_000, 1.0);
        ScalingMetrics sized = metrics.withLoad(new GroupShape(3, 0, 0, 2, 0), metrics.sources(), 1.0);
        Decision decision = Given.settled(sized, USUAL.with(ScalingOption.QUOTA_CORES, 9));
        assertThat(decision.to().members()).isEqualTo(4);
        assertThat(decision.clampedBy()).contains("quota");
        Decision none = Given.settled(sized, USUAL.with(ScalingOption.QUOTA_CORES, 6));
        assertThat(Given.heldBack(none)).contains(ScalingRule.AT_LIMIT);
        assertThat(none.sentence()).contains("quota allows no more than 3 members");
    }
}
