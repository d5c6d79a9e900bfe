package dev.laneway.engine.sim;

import java.util.ArrayList;
import java.util.List;

/** One call of a batch handler: the attempts that it makes, in order. */
final class SimCall {
    private final List<SimAttempt> attempts = new ArrayList<>();

    void add(SimAttempt attempt) {
        attempts.add(attempt);
    }

    /**
     * Whether an earlier record of the attempt's lane may have to be handled again: then this one's outcome does not
     * count.
     */
    boolean mayBeVoid(SimAttempt attempt, long nowNanos) {
        for (SimAttempt other : attempts) {
            if (other.offset < attempt.offset && other.lane.equals(attempt.lane) && other.mayBeRetried(nowNanos)) {
                return true;
            }
        }
        return false;
    }
}
