package dev.laneway.ops.scale;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What no decision may do, over random histories; and that each rule would be seen to be broken. Each build makes the
 * same tries, so that it fails for what has changed; without the seed each run makes others.
 */
class ScalingPropertyTest {
    private static final int HISTORIES = 100_000;
    private static final int TICKS = 30;
    private static final int TRIALS = 20_000;

    /** What decides: the policy, or one that is broken in one place. */
    interface Decider {
        Decision decide(ScalingState state, ScalingMetrics metrics, ScalingPolicy policy);
    }

    @Property(tries = HISTORIES, seed = "1", shrinking = ShrinkingMode.OFF)
    @Label("B162 in 100,000 random histories no decision leaves its bounds, is too early, or rests on stale data")
    void holds(@ForAll long seed) {
        assertThat(broken(seed, ScalingDecider::decide)).as("seed %s", seed).isEmpty();
    }

    private static List<String> broken(long seed, Decider decider) {
        RandomHistory history = new RandomHistory(seed);
        HistoryRules rules = new HistoryRules(history.policy);
        ScalingState state = ScalingState.NEW;
        for (int tick = 0; tick < TICKS; tick++) {
            ScalingMetrics metrics = history.next();
            Decision decision = decider.decide(state, metrics, history.policy);
            rules.look(metrics, decision);
            history.apply(decision);
            state = decision.next();
        }
        return rules.broken();
    }

    @ParameterizedTest
    @EnumSource(Fault.class)
    @DisplayName("B162 a policy that is broken in one place breaks the rule that forbids it")
    void finds(Fault fault) {
        List<String> found = new ArrayList<>();
        for (int seed = 0; seed < TRIALS && !found.contains(fault.rule); seed++) {
            broken(seed, fault.decider).stream()
                    .filter(rule -> rule.startsWith(fault.rule))
                    .findFirst()
                    .ifPresent(_ -> found.add(fault.rule));
        }
        assertThat(found).as("%s within %s histories", fault, TRIALS).contains(fault.rule);
    }

    /** The policy, broken in one place. */
    @SuppressWarnings("ImmutableEnumChecker") // What decides has no state.
    enum Fault {
        ZERO("never to zero", (state, metrics, policy) -> {
            Decision decision = ScalingDecider.decide(state, metrics, policy);
            return decision.action() == Decision.Action.DOWN ? to(decision, 0) : decision;
        }),
        BEYOND(
                "never beyond bounds",
                (state, metrics, policy) ->
                        ScalingDecider.decide(state, metrics, policy.with(ScalingOption.REPLICAS_MAX, 90))),
        BELOW(
                "never beyond bounds",
                (state, metrics, policy) -> ScalingDecider.decide(
                        state, metrics, without(policy, "replicas.min", "schedule.a", "schedule.b"))),
        ROUTINE(
                "no change in a cool-down",
                (state, metrics, policy) ->
                        ScalingDecider.decide(state, metrics, policy.with(ScalingOption.COOL_DOWN_RESTARTS, 0))),
        HASTY(
                "no change in a cool-down",
                (state, metrics, policy) -> ScalingDecider.decide(
                        state,
                        metrics,
                        policy.with(ScalingOption.COOL_DOWN, 1).with(ScalingOption.COOL_DOWN_RESTARTS, 0))),
        STALE(
                "no change on stale data",
                (state, metrics, policy) ->
                        ScalingDecider.decide(state, metrics.measuredAt(metrics.atMillis()), policy)),
        CREDULOUS(
                "no change on what cannot be true",
                (state, metrics, policy) -> metrics.problem() == null
                        ? ScalingDecider.decide(state, metrics, policy)
                        : ScalingDecider.decide(
                                state,
                                metrics.withLoad(metrics.shape(), List.of(SourceLoad.of("x", 0, 9, 900, 1)), 1.0),
                                policy)),
        TIMELESS("no change when the clock goes back", (state, metrics, policy) -> {
            Long last = state.lastMillis();
            ScalingState shifted =
                    last == null || last <= metrics.atMillis() ? state : state.shifted(metrics.atMillis() - last);
            return ScalingDecider.decide(shifted, metrics, policy);
        }),
        RESTLESS(
                "no change while unstable or restoring",
                (state, metrics, policy) -> ScalingDecider.decide(state, metrics.withSettled(true, false), policy)),
        DEAF(
                "no change while broken",
                (state, metrics, policy) -> ScalingDecider.decide(state, metrics.withVerdict(null), policy)),
        HELPLESS(
                "no members where they do not help",
                (state, metrics, policy) -> ScalingDecider.decide(state, metrics.withVerdict(null), policy)),
        BUSY(
                "no change in an excluded period",
                (state, metrics, policy) -> ScalingDecider.decide(state, metrics, without(policy, "excluded.x"))),
        BLIND(
                "no change before members are there",
                (state, metrics, policy) -> ScalingDecider.decide(asking(state, metrics.shape()), metrics, policy)),
        IMPATIENT(
                "none leaves within an interval of catching up",
                (state, metrics, policy) ->
                        ScalingDecider.decide(state, metrics, policy.with(ScalingOption.CATCHING_UP, 86_400))),
        EAGER(
                "none leaves within an interval of a change",
                (state, metrics, policy) -> ScalingDecider.decide(
                        state,
                        metrics,
                        policy.with(ScalingOption.DOWN_INTERVAL, 1).with(ScalingOption.DOWN_INTERVAL_RESTARTS, 0))),
        FORGETFUL(
                "none leaves that was needed in the interval",
                (state, metrics, policy) -> ScalingDecider.decide(forgetting(state), metrics, policy)),
        LEAPING(
                "at most step.up at once",
                (state, metrics, policy) ->
                        ScalingDecider.decide(state, metrics, policy.with(ScalingOption.STEP_UP, 99))),
        FALLING(
                "at most step.down.share at once",
                (state, metrics, policy) ->
                        ScalingDecider.decide(state, metrics, policy.with(ScalingOption.STEP_DOWN, 1))),
        STATELESS(
                "no more leave than standbys take over",
                (state, metrics, policy) -> ScalingDecider.decide(state, metrics.withRestore(null), policy)),
        GREEDY(
                "never beyond the quota",
                (state, metrics, policy) ->
                        ScalingDecider.decide(state, metrics, policy.with(ScalingOption.QUOTA_CORES, 0))),
        CROWDED(
                "never beyond concurrency.max",
                (state, metrics, policy) ->
                        ScalingDecider.decide(state, metrics, policy.with(ScalingOption.CONCURRENCY_MAX, 999))),
        THREADED(
                "never beyond threads.max",
                (state, metrics, policy) ->
                        ScalingDecider.decide(state, metrics, policy.with(ScalingOption.THREADS_MAX, 99))),
        LARGE(
                "never beyond cores.max",
                (state, metrics, policy) ->
                        ScalingDecider.decide(state, metrics, policy.with(ScalingOption.CORES_MAX, 99))),
        FAT(
                "never beyond memory.max.bytes",
                (state, metrics, policy) ->
                        ScalingDecider.decide(state, metrics, policy.with(ScalingOption.MEMORY_MAX, 1e12))),
        RESTLESS_HOLD("HOLD keeps all", (state, metrics, policy) -> {
            Decision decision = ScalingDecider.decide(state, metrics, policy);
            return decision.isChange() ? decision : to(decision, metrics.shape().members() + 1);
        });

        private final String rule;
        private final Decider decider;

        Fault(String rule, Decider decider) {
            this.rule = rule;
            this.decider = decider;
        }
    }

    private static Decision to(Decision decision, int members) {
        return new Decision(
                decision.atMillis(),
                decision.action(),
                decision.from(),
                decision.to().withMembers(members),
                decision.raw(),
                decision.aligned(),
                decision.clampedBy(),
                decision.targets(),
                decision.fired(),
                decision.held(),
                decision.expected(),
                decision.outcome(),
                decision.sentence(),
                decision.next());
    }

    private static ScalingPolicy without(ScalingPolicy policy, String... keys) {
        Map<String, String> given = new HashMap<>(policy.given());
        given.keySet().removeAll(List.of(keys));
        return ScalingPolicy.of(given);
    }

    private static ScalingState asking(ScalingState state, GroupShape shape) {
        ScalingState.Draft draft = new ScalingState.Draft(state, shape);
        draft.asked = shape;
        return draft.done();
    }

    /** Of what was needed lately only the least. */
    private static ScalingState forgetting(ScalingState state) {
        ScalingState.Draft draft = new ScalingState.Draft(state, GroupShape.of(1));
        draft.asked = state.asked() == null ? draft.asked : state.asked();
        if (!draft.recommended.isEmpty()) {
            draft.recommended = List.of(draft.recommended.getLast());
        }
        return state.asked() == null ? state : draft.done();
    }
}
