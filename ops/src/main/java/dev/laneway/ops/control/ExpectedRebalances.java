package dev.laneway.ops.control;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Tells a rebalance storm from what a group does to take in members that its autoscaler has started or ended: two
 * rebalances or more, which a check would call a storm as long as it remembers them. Times are of a clock that does not
 * leap. Used by one thread.
 */
final class ExpectedRebalances {
    /** A group that has not settled by then does not do so by itself. */
    private static final long MOST_NANOS = Duration.ofMinutes(3).toNanos();
    /** Members that die more often than that are a storm, though each is replaced. */
    private static final long BETWEEN_DEATHS_NANOS = Duration.ofMinutes(10).toNanos();

    private final long rememberedNanos;
    private @Nullable Long changedNanos;
    private @Nullable Long settledNanos;
    private @Nullable Long replacedNanos;

    /** @param rememberedNanos for how long a check remembers rebalances */
    ExpectedRebalances(long rememberedNanos) {
        this.rememberedNanos = rememberedNanos;
    }

    /** Members have been asked for, or sent away. */
    void changed(long nanos) {
        changedNanos = nanos;
        settledNanos = null;
    }

    /** A member has started. If nobody has asked for one more, it takes the place of one that has died. */
    void started(long nanos) {
        if (changedNanos == null) {
            if (replacedNanos == null || nanos - replacedNanos > BETWEEN_DEATHS_NANOS) {
                changed(nanos);
            }
            replacedNanos = nanos;
        }
    }

    /**
     * Whether what a check remembers may be the group's settling.
     *
     * @param isSettled whether the group runs now with all its members
     */
    boolean covers(long nanos, boolean isSettled) {
        if (changedNanos == null) {
            return false;
        }
        settledNanos = !isSettled ? null : settledNanos == null ? Long.valueOf(nanos) : settledNanos;
        boolean isForgotten = settledNanos != null && nanos - settledNanos > rememberedNanos;
        if (isForgotten || nanos - changedNanos > MOST_NANOS + rememberedNanos) {
            changedNanos = null;
        }
        return changedNanos != null;
    }
}
