package dev.laneway.dashboard;

import dev.laneway.ops.check.Cause;
import dev.laneway.ops.check.CheckResult.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * Keeps what the page says steady. What breaks a consumer is said at once, and so is anything where nothing was known;
 * any other change once it has been found for three seconds, or once what is said has not been found for ten. Used by
 * one thread.
 */
final class SteadyVerdict {
    private static final double SETTLES_SECONDS = 3;
    private static final double STALE_SECONDS = 10;

    private Verdict said;
    private double foundAt;
    private @Nullable Verdict other;
    private double otherSince;

    /** @param first is said until something is found */
    SteadyVerdict(Verdict first) {
        said = first;
    }

    /** What is said. */
    Verdict said() {
        return said;
    }

    /** Takes what was found at a moment; of what is said already, the latest figures. */
    void found(double now, Verdict found) {
        if (found.isLike(said)) {
            other = null;
        } else if (!isUrgent(found) && now - foundAt < STALE_SECONDS) {
            if (other == null || !found.isLike(other)) {
                otherSince = now;
            }
            other = found;
            if (now - otherSince < SETTLES_SECONDS) {
                return;
            }
        }
        said = found;
        foundAt = now;
        other = null;
    }

    private boolean isUrgent(Verdict found) {
        if (said.outcome() == Outcome.UNKNOWN) {
            return true;
        }
        Cause cause = found.cause();
        Cause before = said.cause();
        return found.outcome() == Outcome.BROKEN
                && (said.outcome() != Outcome.BROKEN
                        || (cause != null && before != null && cause.compareTo(before) < 0));
    }
}
