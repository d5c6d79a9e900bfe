package dev.laneway.ops.control;

import dev.laneway.ops.scale.Decision;
import dev.laneway.ops.scale.ScalingOption;
import dev.laneway.ops.scale.ScalingPolicy;
import org.jspecify.annotations.Nullable;

/**
 * Looks at each change once more before it is made, with a clock that does not leap and without the policy's state, so
 * that neither a fault in what decides, nor a damaged log, nor a clock that is set can get past the policy's limits.
 * Used by one thread.
 */
final class ActGuard {
    private static final double NANOS = 1e9;

    private final ScalingPolicy policy;
    private @Nullable Long changedNanos;

    ActGuard(ScalingPolicy policy) {
        this.policy = policy;
    }

    /** A change was made, or may have been, or nobody knows when the last one was. */
    void changed(long nanos) {
        changedNanos = nanos;
    }

    /** Why a change must not be made, in words; null if it may. */
    @Nullable
    String refusal(Decision decision, @Nullable Integer seen, long ageNanos, long nanos) {
        int from = decision.from().members();
        int to = decision.to().members();
        if (to == from) {
            return "the actor changes the number of members only, not their size: set concurrency.max, threads.max,"
                    + " memory.max.bytes and cores.max to 0";
        }
        if (to < 1) {
            return "it would leave no member";
        }
        int least = (int) policy.get(ScalingOption.REPLICAS_MIN);
        int most = (int) policy.get(ScalingOption.REPLICAS_MAX);
        if ((to > from && to > most) || (to < from && to < least)) {
            return to + " is out of the bounds " + least + ".." + most;
        }
        if (ageNanos < 0 || ageNanos > policy.get(ScalingOption.STALE) * NANOS) {
            return "what it rests on is " + Math.round(ageNanos / NANOS) + " s old";
        }
        Long last = changedNanos;
        double coolDown = policy.get(ScalingOption.COOL_DOWN);
        if (last != null && nanos - last < coolDown * NANOS) {
            return "the last change is " + Math.round((nanos - last) / NANOS) + " s ago, less than the cool-down of "
                    + Math.round(coolDown) + " s";
        }
        return seen == null || seen == from ? null : "there are " + seen + " members, no longer " + from;
    }
}
