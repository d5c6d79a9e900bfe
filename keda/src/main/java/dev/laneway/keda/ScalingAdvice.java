package dev.laneway.keda;

import org.jspecify.annotations.Nullable;

/**
 * What is known of a group at a moment. Immutable.
 *
 * @param wanted members that the policy wants; null if that is not known
 * @param seen members that there are
 * @param measuredNanos when that was measured, by the loop's clock
 * @param reason why it is not known, or what was decided, in a sentence
 */
record ScalingAdvice(@Nullable Integer wanted, int seen, long measuredNanos, String reason) {
    static ScalingAdvice unknown(String reason) {
        return new ScalingAdvice(null, 0, 0, reason);
    }
}
