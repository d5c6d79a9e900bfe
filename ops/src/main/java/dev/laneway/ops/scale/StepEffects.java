package dev.laneway.ops.scale;

/** Learns what numbers of members can do, and whether the last step did what it should. */
final class StepEffects {
    /** Below this busy share, capacity is more guessed than measured. */
    private static final double LEAST_BUSY = 0.1;

    private StepEffects() {}

    /** Only where the group is settled, its data fresh, and no time of waiting runs. */
    static void learn(DecisionDraft draft) {
        Double busy = draft.metrics.busyShare();
        if (!draft.demand.isKnown() || draft.demand.capacity() <= 0 || busy == null || busy < LEAST_BUSY) {
            return;
        }
        ScalingState.Draft state = draft.state;
        double capacity = draft.demand.capacity();
        state.addCapacity(draft.members, capacity);
        ScalingState.Pending pending = state.pending;
        if (pending == null) {
            return;
        }
        state.pending = null;
        double gain = capacity - pending.before();
        double wanted = pending.expected() - pending.before();
        boolean isEffective = wanted <= 0 || gain >= draft.policy.get(ScalingOption.EFFECT) * wanted;
        state.ineffective = isEffective ? 0 : state.ineffective + 1;
        draft.outcome = new Decision.Outcome(pending.expected(), capacity, isEffective);
        draft.fire(
                ScalingRule.EFFECT,
                "the last step should have brought " + Num.of(wanted) + " records/s and brought " + Num.of(gain));
        if (state.ineffective >= draft.policy.whole(ScalingOption.EFFECT_STEPS)) {
            state.ineffective = 0;
            state.frozenMillis = draft.now + draft.policy.millis(ScalingOption.FREEZE);
        }
    }
}
