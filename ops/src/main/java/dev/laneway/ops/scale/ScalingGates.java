package dev.laneway.ops.scale;

import dev.laneway.ops.check.Cause;

/** What keeps all as it is, whatever the load. Each gate that is closed is told, in the order of what is asked. */
final class ScalingGates {
    /** The year 9999. */
    private static final long LATEST_MILLIS = 253_000_000_000_000L;

    private ScalingGates() {}

    /** Whether the metrics are of a time that can be reckoned with. */
    static boolean hasTime(ScalingMetrics metrics) {
        return metrics.atMillis() >= 0
                && metrics.atMillis() < LATEST_MILLIS
                && metrics.measuredAtMillis() >= 0
                && metrics.measuredAtMillis() < LATEST_MILLIS;
    }

    /** Whether the metrics can be believed; closes gates if not. */
    static boolean isBelievable(DecisionDraft draft) {
        ScalingMetrics metrics = draft.metrics;
        long age = draft.now - metrics.measuredAtMillis();
        long most = draft.policy.millis(ScalingOption.STALE);
        if (age > most || age < -most) {
            draft.close(
                    ScalingRule.STALE_DATA,
                    age < 0
                            ? "the metrics are from " + Num.seconds(-age) + " in the future: two clocks differ"
                            : "the metrics are " + Num.seconds(age) + " old, more than the " + Num.seconds(most)
                                    + " that are believed",
                    null);
            return false;
        }
        String problem = metrics.problem();
        if (problem != null) {
            draft.close(ScalingRule.UNREADABLE_DATA, problem, null);
            return false;
        }
        return true;
    }

    /**
     * Closes the gates of the schedule, of the group's own state and of patience. Returns whether the group is settled.
     */
    static boolean close(DecisionDraft draft) {
        ScheduledPeriod excluded = draft.policy.excludedAt(draft.now);
        if (excluded != null) {
            draft.close(
                    ScalingRule.EXCLUDED_PERIOD,
                    "the policy excludes changes in period " + excluded.name(),
                    excluded.endsAt(draft.now, draft.policy.zone()));
        }
        if (draft.metrics.isRising() && draft.policy.get(ScalingOption.LATENCY_GOAL) > 0) {
            draft.close(
                    ScalingRule.RISING,
                    "the load has begun to rise since the last look, and the next one tells how far",
                    null);
        }
        boolean isRunning = isRunning(draft);
        boolean isSettled = hasArrived(draft) && isRunning;
        settle(draft, isSettled);
        patience(draft);
        return isSettled;
    }

    private static boolean isRunning(DecisionDraft draft) {
        ScalingMetrics metrics = draft.metrics;
        ScalingVerdict verdict = metrics.verdict();
        Cause cause = verdict == null || !verdict.isBroken() ? null : verdict.cause();
        if (metrics.isRestoring() || cause == Cause.RESTORING) {
            draft.close(ScalingRule.RESTORING, "state is being restored", null);
            return false;
        }
        if (verdict != null && verdict.isBroken()) {
            draft.close(
                    ScalingRule.UNSTABLE,
                    "the group is broken" + (cause == null ? "" : " (" + cause.words() + ")")
                            + " and more members do not mend that: " + verdict.words(),
                    null);
            return false;
        }
        if (!metrics.isStable()) {
            draft.close(ScalingRule.UNSTABLE, "the group rebalances, or not all of its members run", null);
            return false;
        }
        return true;
    }

    /** Members that never come are given up after a time; then what is there is taken for what was asked for. */
    private static boolean hasArrived(DecisionDraft draft) {
        ScalingState.Draft state = draft.state;
        GroupShape seen = draft.metrics.shape();
        if (state.asked.isSeenAs(seen)) {
            state.differsMillis = null;
            state.asked = seen;
            return true;
        }
        if (state.differsMillis == null) {
            state.differsMillis = draft.now;
        }
        long until = state.differsMillis + draft.policy.millis(ScalingOption.ARRIVAL);
        String difference = seen.words() + (seen.members() == 1 ? " is" : " are") + " there and " + state.asked.words()
                + (state.asked.members() == 1 ? " was" : " were") + " asked for";
        if (draft.now < until || seen.members() == 0) {
            draft.close(ScalingRule.MEMBERS_PENDING, difference, seen.members() == 0 ? null : until);
        } else {
            draft.fire(ScalingRule.ADOPTED, difference + "; what is there is the number from now on");
            draft.close(ScalingRule.ADOPTED, difference + "; what is there is the number from now on", null);
            state.asked = seen;
            state.changedMillis = draft.now;
            state.isArriving = false;
            state.pending = null;
            state.differsMillis = null;
            state.forgetQuiet();
        }
        return false;
    }

    private static void settle(DecisionDraft draft, boolean isSettled) {
        ScalingState.Draft state = draft.state;
        if (!isSettled) {
            state.settledMillis = null;
            return;
        }
        if (state.settledMillis == null) {
            state.settledMillis = draft.now;
        }
        if (state.isArriving && state.changedMillis != null) {
            state.isArriving = false;
            state.addRestart(
                    Math.min(draft.policy.get(ScalingOption.RESTART_MAX), (draft.now - state.changedMillis) / 1_000.0));
        }
    }

    private static void patience(DecisionDraft draft) {
        ScalingState.Draft state = draft.state;
        if (state.changedMillis != null) {
            double restart = ScalingState.restartSeconds(state.restarts, draft.policy);
            long until = state.changedMillis
                    + ChangePatience.of(draft.policy, restart).coolDownMillis();
            if (draft.now < until) {
                draft.close(
                        ScalingRule.COOL_DOWN,
                        "the last change is " + Num.seconds(draft.now - state.changedMillis) + " ago",
                        until);
            }
        }
        if (state.settledMillis != null) {
            long until = state.settledMillis + draft.policy.millis(ScalingOption.STABILIZATION);
            if (draft.now < until) {
                draft.close(
                        ScalingRule.STABILISING,
                        "the group has settled " + Num.seconds(draft.now - state.settledMillis) + " ago",
                        until);
            }
        }
    }
}
