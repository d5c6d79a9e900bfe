package dev.laneway.ops.scale;

/**
 * How long changes are waited with: as long as the policy says at least, and longer where changes take long, since one
 * that was wrong costs as much once more. Immutable.
 *
 * @param coolDownMillis from one change to the next
 * @param downMillis for which fewer members must have been enough before there are fewer
 */
record ChangePatience(long coolDownMillis, long downMillis) {
    static ChangePatience of(ScalingPolicy policy, double restartSeconds) {
        return new ChangePatience(
                longer(policy, ScalingOption.COOL_DOWN, ScalingOption.COOL_DOWN_RESTARTS, restartSeconds),
                longer(policy, ScalingOption.DOWN_INTERVAL, ScalingOption.DOWN_INTERVAL_RESTARTS, restartSeconds));
    }

    private static long longer(ScalingPolicy policy, ScalingOption least, ScalingOption factor, double seconds) {
        return Math.max(policy.millis(least), Math.round(policy.get(factor) * seconds * 1_000));
    }
}
