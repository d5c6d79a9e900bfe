package dev.laneway.ops.scale;

/** Brings the number of members within its bounds: by wish of the owner, so neither gain nor verdict is asked. */
final class BoundsStep {
    private BoundsStep() {}

    static Decision up(DecisionDraft draft) {
        int to = Math.min(draft.min, draft.members + draft.policy.whole(ScalingOption.STEP_UP));
        draft.fire(
                ScalingRule.BELOW_BOUNDS,
                Num.count(draft.members, "member") + (draft.members == 1 ? " is" : " are") + " there and at least "
                        + draft.min + " should be");
        return change(draft, Decision.Action.UP, to, ScalingRule.ADD_MEMBERS);
    }

    static Decision down(DecisionDraft draft) {
        int to = Math.max(draft.max, draft.members - DownwardStep.mostAtOnce(draft));
        draft.fire(
                ScalingRule.ABOVE_BOUNDS,
                Num.count(draft.members, "member") + " are there and at most " + draft.max + " may be");
        return change(draft, Decision.Action.DOWN, to, ScalingRule.REMOVE_MEMBERS);
    }

    private static Decision change(DecisionDraft draft, Decision.Action action, int to, ScalingRule way) {
        ChangeCost cost =
                ChangeCost.of(draft.members, to, draft.metrics.restore(), draft.policy.get(ScalingOption.REBALANCE));
        return draft.change(
                action,
                draft.metrics.shape().withMembers(to),
                ScalingDecider.expected(draft, to, cost),
                RuleNote.of(way, "that takes " + to));
    }
}
