package dev.laneway.ops.scale;

import java.util.Objects;

/**
 * The policy: what to do with a group now. A pure function: the same state, metrics and policy give the same decision,
 * in production, in a simulation, and when an incident is replayed. It never throws, whatever the metrics say.
 *
 * <p>In this order: are the metrics believable; is the group in order and settled; what would the load need; may that
 * be done, and would it help; how far at once. While a gate is closed all is reckoned nevertheless, so that the
 * decision can say what is held back.
 */
public final class ScalingDecider {
    private ScalingDecider() {}

    /** Decides. The state for the next time is {@link Decision#next()}. */
    public static Decision decide(ScalingState state, ScalingMetrics metrics, ScalingPolicy policy) {
        if (!ScalingGates.hasTime(metrics)) {
            ScalingState.Draft same = new ScalingState.Draft(state, metrics.shape());
            DecisionDraft draft = new DecisionDraft(metrics, policy, same);
            draft.close(ScalingRule.UNREADABLE_DATA, "the metrics' time is none", null);
            return draft.keepAtGate().withNext(state);
        }
        Long last = state.lastMillis();
        boolean isBack = last != null && metrics.atMillis() < last;
        ScalingState before = isBack ? state.shifted(metrics.atMillis() - Objects.requireNonNull(last)) : state;
        ScalingState.Draft next = new ScalingState.Draft(before, metrics.shape());
        next.lastMillis = metrics.atMillis();
        DecisionDraft draft = new DecisionDraft(metrics, policy, next);
        if (isBack) {
            draft.close(
                    ScalingRule.CLOCK_BACK,
                    "the clock has gone back by " + Num.seconds(Objects.requireNonNull(last) - draft.now),
                    null);
        }
        if (!ScalingGates.isBelievable(draft)) {
            return draft.keepAtGate().withNext(before.at(draft.now));
        }
        boolean isSettled = ScalingGates.close(draft);
        reckon(draft);
        if (isSettled && draft.gates.isEmpty()) {
            StepEffects.learn(draft);
        }
        DownwardStep.remember(draft, isSettled);
        return wanted(draft);
    }

    private static void reckon(DecisionDraft draft) {
        ScheduledPeriod schedule = draft.policy.scheduleAt(draft.now);
        draft.min = schedule == null ? draft.policy.whole(ScalingOption.REPLICAS_MIN) : schedule.min();
        draft.max = schedule == null ? draft.policy.whole(ScalingOption.REPLICAS_MAX) : schedule.max();
        if (schedule != null) {
            draft.hold(
                    ScalingRule.SCHEDULED,
                    "the bounds are " + schedule.min() + ".." + schedule.max() + " by schedule " + schedule.name(),
                    schedule.endsAt(draft.now, draft.policy.zone()));
        }
        draft.restartSeconds = ScalingState.restartSeconds(draft.state.restarts, draft.policy);
        draft.demand = LoadDemand.of(draft.metrics, draft.policy);
        if (draft.demand.isKnown()) {
            draft.targets = draft.demand.targets(draft.policy, draft.members, draft.restartSeconds);
        }
        if (draft.demand.isObserved()) {
            draft.hold(
                    ScalingRule.OBSERVED_RATE,
                    "by their busy time the members could do more than the " + Num.of(draft.demand.capacity())
                            + " records/s that they do, and do not, though records wait",
                    null);
        }
    }

    private static Decision wanted(DecisionDraft draft) {
        if (draft.members < draft.min) {
            return BoundsStep.up(draft);
        }
        if (draft.members > draft.max) {
            return BoundsStep.down(draft);
        }
        LoadDemand demand = draft.demand;
        if (!demand.isKnown()) {
            String why = draft.metrics.busyShare() == null
                    ? "how busy the members are is not known, and they are not behind"
                    : "nothing is processed, so that it is not known what the members could do";
            draft.hold(ScalingRule.USE_UNKNOWN, why, null);
            return draft.gates.isEmpty() ? draft.keep(why) : draft.keepAtGate();
        }
        boolean isHigh = demand.threshold(draft.policy) > draft.members * (1 + 1e-9);
        if (isHigh) {
            draft.fire(ScalingRule.LOAD_HIGH, highLoad(draft));
        }
        boolean isLate = isLate(draft);
        if (isHigh || isLate) {
            return UpwardStep.of(draft);
        }
        return DownwardStep.of(draft);
    }

    private static String highLoad(DecisionDraft draft) {
        LoadDemand demand = draft.demand;
        double seconds = draft.metrics.lagSeconds();
        return "members are " + Num.percent(demand.work() / Math.max(1, draft.members)) + " busy with what comes"
                + (seconds >= 1 ? " and " + Num.behind(seconds) : "") + ", and need "
                + Num.of(demand.threshold(draft.policy)) + " members to stay below "
                + Num.percent(draft.policy.get(ScalingOption.MAX));
    }

    private static boolean isLate(DecisionDraft draft) {
        double goal = draft.policy.get(ScalingOption.LATENCY_GOAL);
        if (goal <= 0) {
            return false;
        }
        double ahead = draft.policy.get(ScalingOption.PROJECTION);
        double latency =
                Math.max(draft.demand.latencyIn(0, draft.members), draft.demand.latencyIn(ahead, draft.members));
        Double longest = draft.metrics.longestWaitSeconds();
        if (latency <= goal && longest != null && longest > goal) {
            draft.fire(
                    ScalingRule.LATENCY_GOAL,
                    "records of one partition wait " + Num.of(longest) + " s, more than the goal of " + Num.of(goal)
                            + " s");
            return true;
        }
        if (latency <= goal) {
            return false;
        }
        draft.fire(
                ScalingRule.LATENCY_GOAL,
                "records wait " + Num.of(latency) + " s now or in " + Num.of(ahead) + " s, more than the goal of "
                        + Num.of(goal) + " s");
        return true;
    }

    /** What so many members should bring. */
    static Decision.Expected expected(DecisionDraft draft, double strength, ChangeCost cost) {
        double factor = strength / Math.max(1, draft.members);
        double spare = strength - draft.demand.work();
        double drain =
                draft.demand.backlog() <= 0 ? 0 : spare > 0 ? draft.demand.backlog() / spare : Double.POSITIVE_INFINITY;
        return new Decision.Expected(
                draft.demand.capacity() * factor,
                strength <= 0 ? 0 : draft.demand.work() / strength,
                drain,
                cost.pauseSeconds(),
                cost.etaSeconds());
    }
}
