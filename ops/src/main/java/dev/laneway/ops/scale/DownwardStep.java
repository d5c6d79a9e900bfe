package dev.laneway.ops.scale;

/** Fewer: only by the largest number that was needed in a whole interval, never behind, and a few at once. */
final class DownwardStep {
    private DownwardStep() {}

    /**
     * Remembers how many members would be enough now; while the group catches up, all. The interval counts from a
     * settled group only; what is seen of another one can but lengthen it.
     */
    static void remember(DecisionDraft draft, boolean isSettled) {
        boolean isKnown = draft.demand.isKnown();
        boolean isBehind = isCatchingUp(draft);
        if (!isKnown && !isBehind) {
            return;
        }
        int enough = isKnown ? enough(draft) : 0;
        int all = isBehind ? Math.max(draft.members, draft.state.asked.members()) : 0;
        long interval = interval(draft);
        draft.state.recommend(
                draft.now,
                Math.max(all, enough),
                isSettled && isKnown,
                interval,
                Math.max(draft.policy.millis(ScalingOption.STALE), interval / 10));
    }

    private static boolean isCatchingUp(DecisionDraft draft) {
        return draft.metrics.lagSeconds() > draft.policy.get(ScalingOption.CATCHING_UP);
    }

    private static int enough(DecisionDraft draft) {
        int enough = Math.max(1, Num.ceil(draft.demand.enough(draft.policy, draft.restartSeconds)));
        UsefulCounts useful = UsefulCounts.of(draft.metrics);
        Double busiest = draft.metrics.busyShare();
        while (busiest != null && enough < draft.members && isOverfull(draft, useful, busiest, enough)) {
            enough++;
        }
        return enough;
    }

    /** Whether the busiest of fewer members, which has more partitions, could not keep up. */
    private static boolean isOverfull(DecisionDraft draft, UsefulCounts useful, double busiest, int members) {
        return busiest * useful.load(members) > useful.load(draft.members) * (1 - 1e-9);
    }

    private static long interval(DecisionDraft draft) {
        return ChangePatience.of(draft.policy, draft.restartSeconds).downMillis();
    }

    /** The most members that may go at once: those that standbys replace, or whose state is back within the goal. */
    static int mostAtOnce(DecisionDraft draft) {
        int share = (int) (draft.members * draft.policy.get(ScalingOption.STEP_DOWN));
        RestoreLoad restore = draft.metrics.restore();
        if (restore == null || restore.taskReplicas() == 0) {
            return Math.max(1, share);
        }
        double goal = draft.policy.get(ScalingOption.LATENCY_GOAL);
        int most = Math.max(1, Math.min(share, restore.standbys()));
        while (goal > 0 && most < share && cost(draft, draft.members - most - 1).pauseSeconds() <= goal) {
            most++;
        }
        return most;
    }

    private static ChangeCost cost(DecisionDraft draft, int to) {
        return ChangeCost.of(draft.members, to, draft.metrics.restore(), draft.policy.get(ScalingOption.REBALANCE));
    }

    static Decision of(DecisionDraft draft) {
        int enough = Math.max(draft.min, enough(draft));
        draft.raw = enough;
        draft.aligned = enough;
        if (enough >= draft.members) {
            return draft.gates.isEmpty() ? draft.keep(fine(draft)) : draft.keepAtGate();
        }
        draft.fire(
                ScalingRule.LOAD_LOW,
                draft.members + " members are " + Num.percent(draft.demand.work() / draft.members) + " busy and "
                        + enough + " would be enough");
        return isCatchingUp(draft)
                ? draft.refuse(
                        ScalingRule.CATCHING_UP,
                        "the group is " + Num.behind(draft.metrics.lagSeconds()) + ", more than the "
                                + Num.of(draft.policy.get(ScalingOption.CATCHING_UP))
                                + " s above which none is removed",
                        null)
                : afterInterval(draft);
    }

    private static String fine(DecisionDraft draft) {
        return "members are " + Num.percent(draft.demand.work() / draft.members) + " busy and "
                + Num.behind(draft.metrics.lagSeconds()) + ", which " + draft.members
                + (draft.members == 1 ? " member is" : " members are") + " right for"
                + (draft.members == draft.min ? ", the fewest that the policy allows" : "");
    }

    private static Decision afterInterval(DecisionDraft draft) {
        long interval = interval(draft);
        Long quiet = draft.state.quietMillis;
        if (quiet == null || draft.state.recommended.isEmpty() || draft.now - quiet < interval) {
            return draft.refuse(
                    ScalingRule.DOWN_INTERVAL,
                    quiet == null
                            ? "that is not known for any time yet"
                            : "that is so for " + Num.seconds(draft.now - quiet) + " only, not for a whole interval of "
                                    + Num.seconds(interval),
                    quiet == null ? null : quiet + interval);
        }
        ScalingState.Recommended largest = draft.state.recommended.getFirst();
        if (largest.members() >= draft.members) {
            return draft.refuse(
                    ScalingRule.DOWN_INTERVAL,
                    largest.members() + " were needed " + Num.seconds(draft.now - largest.atMillis()) + " ago",
                    largest.atMillis() + interval);
        }
        draft.raw = largest.members();
        UsefulCounts useful = UsefulCounts.of(draft.metrics);
        int aligned =
                draft.policy.whole(ScalingOption.ALIGN) == 1 ? useful.atLeast(largest.members()) : largest.members();
        draft.aligned = aligned;
        if (aligned >= draft.members) {
            return draft.refuse(
                    ScalingRule.NOT_USEFUL,
                    largest.members() + " would have more partitions each than the load allows, and the next useful"
                            + " number is " + aligned,
                    null);
        }
        return removed(draft, Math.max(aligned, draft.min));
    }

    private static Decision removed(DecisionDraft draft, int wanted) {
        int to = wanted;
        if (to != draft.aligned) {
            draft.clampedBy.add("replicas.min");
        }
        int most = mostAtOnce(draft);
        RestoreLoad restore = draft.metrics.restore();
        if (draft.members - to > most) {
            to = draft.members - most;
            draft.clampedBy.add("step.down");
            draft.hold(
                    ScalingRule.STEP_LIMIT,
                    wanted + " would be enough, and at most " + most + " may go at once"
                            + (restore == null
                                    ? ""
                                    : ", since each task has " + Num.count(restore.standbys(), "standby replica")
                                            + " and state must be read again"),
                    null);
        }
        ChangeCost cost = cost(draft, to);
        double goal = draft.policy.get(ScalingOption.LATENCY_GOAL);
        if (goal > 0 && cost.pauseSeconds() > goal) {
            return draft.refuse(
                    ScalingRule.COST,
                    "the change pauses tasks for " + Num.of(cost.pauseSeconds()) + " s, longer than the goal of "
                            + Num.of(goal) + " s",
                    null);
        }
        double saved = (draft.members - to) * draft.policy.get(ScalingOption.GAIN);
        double spent = draft.members * cost.pauseSeconds() + cost.restoreSeconds();
        if (saved <= spent) {
            return draft.refuse(
                    ScalingRule.COST,
                    "the change takes " + Num.of(spent) + " member-seconds of pause and restoring and saves "
                            + Num.of(saved) + " within gain.seconds",
                    null);
        }
        boolean isRestored = restore != null && restore.taskReplicas() > 0 && restore.standbys() == 0;
        return draft.change(
                Decision.Action.DOWN,
                draft.metrics.shape().withMembers(to),
                ScalingDecider.expected(draft, to, cost),
                RuleNote.of(
                        ScalingRule.REMOVE_MEMBERS,
                        to + (to == 1 ? " member" : " members") + " should be "
                                + Num.percent(draft.demand.work() / to) + " busy"
                                + (isRestored ? "; without standbys their tasks' state is restored first" : "")));
    }
}
