package dev.laneway.ops.scale;

import static dev.laneway.ops.scale.Given.SECOND;
import static dev.laneway.ops.scale.Given.START;
import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.ops.check.Cause;
import dev.laneway.ops.scale.Decision.Action;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What one decision leaves to the next. */
class ScalingLearningTest {
    private static final ScalingPolicy USUAL = ScalingPolicy.USUAL;

    private static Decision scaledUp() {
        Decision decision = Given.settled(Given.load(2, 0, 400, 200, 1.0), USUAL);
        assertThat(decision.action()).isEqualTo(Action.UP);
        return decision;
    }

    @Test
    @DisplayName("B162 nothing is changed until the members that were asked for are there")
    void waitsForMembers() {
        Decision up = scaledUp();
        Decision waiting = ScalingDecider.decide(
                up.next(), Given.load(2, 0, 900, 200, 1.0).at(up.atMillis() + 600 * SECOND), USUAL);
        assertThat(Given.fired(waiting)).contains(ScalingRule.MEMBERS_PENDING);
        assertThat(waiting.sentence())
                .startsWith("HOLD at 2: 2 members are there and " + up.to().members() + " members were asked for");
    }

    @Test
    @DisplayName("B162 members that never come are given up after a time, and the next change waits a cool-down")
    void givesUp() {
        Decision up = scaledUp();
        ScalingMetrics metrics = Given.load(2, 0, 400, 200, 1.0);
        Decision waiting = ScalingDecider.decide(up.next(), metrics.at(up.atMillis() + 10 * SECOND), USUAL);
        Decision adopted = ScalingDecider.decide(waiting.next(), metrics.at(up.atMillis() + 1_811 * SECOND), USUAL);
        assertThat(Given.fired(adopted)).contains(ScalingRule.ADOPTED);
        Decision next = ScalingDecider.decide(adopted.next(), metrics.at(up.atMillis() + 1_821 * SECOND), USUAL);
        assertThat(Given.fired(next)).contains(ScalingRule.COOL_DOWN);
    }

    @Test
    @DisplayName("B162 a clock that goes back by an hour neither shortens a cool-down nor lengthens it by an hour")
    void clockGoesBack() {
        Decision up = scaledUp();
        ScalingMetrics more = Given.load(up.to().members(), 0, 4_000, 400, 1.0);
        long back = up.atMillis() - 3_600 * SECOND;
        Decision first = ScalingDecider.decide(up.next(), more.at(back), USUAL);
        assertThat(Given.fired(first)).contains(ScalingRule.CLOCK_BACK);
        Decision later = Given.on(first.next(), more, USUAL, back + 10 * SECOND, 40);
        assertThat(later.action()).isEqualTo(Action.HOLD);
        assertThat(Given.on(later.next(), more, USUAL, back + 60 * SECOND, 30).action())
                .isEqualTo(Action.UP);
    }

    @Test
    @DisplayName("B164 the time that a change took replaces the guess, up to a limit")
    void learnsRestart() {
        Decision up = scaledUp();
        ScalingMetrics there = Given.load(up.to().members(), 0, 400, 400, 0.7);
        Decision restoring =
                ScalingDecider.decide(up.next(), there.withSettled(true, true).at(up.atMillis() + 200 * SECOND), USUAL);
        Decision settled = ScalingDecider.decide(restoring.next(), there.at(up.atMillis() + 250 * SECOND), USUAL);
        assertThat(settled.next().restarts()).containsExactly(250.0);
        assertThat(ScalingState.restartSeconds(List.of(250.0, 5_000.0), USUAL)).isEqualTo(900);
    }

    @Test
    @DisplayName("B164 where changes take long the next one waits longer, but never shorter than the policy says")
    void patienceGrows() {
        assertThat(ChangePatience.of(USUAL, 5)).isEqualTo(new ChangePatience(60_000, 300_000));
        assertThat(ChangePatience.of(USUAL, 400)).isEqualTo(new ChangePatience(800_000, 4_000_000));
        Decision up = scaledUp();
        ScalingMetrics more = Given.load(up.to().members(), 0, 4_000, 400, 1.0);
        Decision settled = ScalingDecider.decide(up.next(), more.at(up.atMillis() + 200 * SECOND), USUAL);
        assertThat(settled.next().restarts()).containsExactly(200.0);
        Decision held = Given.on(settled.next(), more, USUAL, up.atMillis() + 210 * SECOND, 180);
        assertThat(Given.fired(held)).contains(ScalingRule.COOL_DOWN);
        assertThat(Given.on(held.next(), more, USUAL, up.atMillis() + 400 * SECOND, 0)
                        .action())
                .isEqualTo(Action.UP);
    }

    @Test
    @DisplayName("B164 two steps without effect freeze further ones, and the sentence says until when")
    void freezes() {
        ScalingState state = ScalingState.NEW;
        long at = START;
        int ups = 0;
        GroupShape shape = GroupShape.of(2);
        Decision decision = null;
        for (int tick = 0; tick < 500; tick++) { // The members are always busy, and never do more than 200/s.
            ScalingMetrics metrics =
                    Given.load(shape.members(), 0, 400, 200, 1.0).at(at);
            decision = ScalingDecider.decide(state, metrics, USUAL.with(ScalingOption.STEP_UP, 2));
            ups += decision.action() == Action.UP ? 1 : 0;
            shape = decision.to();
            state = decision.next();
            at += 10 * SECOND;
            if (Given.heldBack(decision).contains(ScalingRule.FROZEN)) {
                break;
            }
        }
        assertThat(ups).isEqualTo(2);
        assertThat(decision).isNotNull();
        assertThat(decision.sentence()).contains("2 steps in a row had no effect", "for 3600 s more");
        assertThat(decision.outcome()).isNotNull();
        assertThat(decision.outcome().isEffective()).isFalse();
    }

    @Test
    @DisplayName("B164 an effect is compared with what was applied, not with what was wanted")
    void comparesWithApplied() {
        ScalingPolicy oneByOne = USUAL.with(ScalingOption.STEP_UP, 1);
        Decision up = Given.settled(Given.load(2, 0, 2_000, 200, 1.0), oneByOne);
        assertThat(up.to().members()).isEqualTo(3);
        assertThat(up.raw()).isGreaterThan(10);
        Decision after =
                Given.on(up.next(), Given.load(3, 0, 2_000, 290, 1.0), oneByOne, up.atMillis() + 10 * SECOND, 400);
        assertThat(after.outcome()).as("200 to 290 is most of a member").isNotNull();
        assertThat(after.outcome().isEffective()).isTrue();
        assertThat(after.next().ineffective()).isZero();
    }

    @Test
    @DisplayName("B164 members that bring less each are counted as such: the further step is larger")
    void usesScalability() {
        ScalingState.Draft draft = new ScalingState.Draft(ScalingState.NEW, GroupShape.of(8));
        draft.settledMillis = START - 600 * SECOND;
        draft.capacities = List.of(
                new ScalingState.Capacity(1, 100),
                new ScalingState.Capacity(4, 280),
                new ScalingState.Capacity(8, 480));
        ScalingMetrics metrics = Given.source(Given.load(8, 0, 0, 0, 1.0), SourceLoad.of("t", 0, 0, 560, 480));
        int aware = ScalingDecider.decide(draft.done(), metrics, USUAL).raw();
        draft.capacities = List.of();
        int unaware = ScalingDecider.decide(draft.done(), metrics, USUAL).raw();
        assertThat(unaware).isEqualTo(14);
        assertThat(aware).isGreaterThan(unaware);
    }

    @Test
    @DisplayName("B162 a group that restores, is broken or was measured long ago is left as it is")
    void gates() {
        ScalingMetrics metrics = Given.load(2, 0, 4_000, 200, 1.0);
        assertThat(hold(metrics.withSettled(true, true))).contains("state is being restored");
        assertThat(hold(metrics.withSettled(false, false))).contains("rebalances, or not all of its members run");
        assertThat(hold(metrics.withVerdict(Given.broken(Cause.POISON_RECORD))))
                .contains("one record fails again and again", "Mend it");
        assertThat(hold(metrics.measuredAt(START - 61 * SECOND))).contains("61 s old, more than the 60 s");
        assertThat(hold(metrics.measuredAt(START + 61 * SECOND))).contains("in the future");
        assertThat(hold(Given.load(2, Double.NaN, 4_000, 200, 1.0))).contains("orders are no amounts");
        assertThat(hold(Given.load(2, 5, 4_000, 0, 1.0))).contains("nothing is processed");
        assertThat(hold(Given.load(2, 5, 4_000, 4_000, null))).contains("how busy the members are is not known");
    }

    private static String hold(ScalingMetrics metrics) {
        Decision decision = Given.settled(metrics, USUAL);
        assertThat(decision.action()).isEqualTo(Action.HOLD);
        return decision.sentence();
    }
}
