package dev.laneway.ops;

import java.time.Duration;
import org.apache.kafka.common.IsolationLevel;

/**
 * How lag is measured. Immutable.
 *
 * @param isolation which end counts: of all records, or of those whose transactions have ended
 * @param limit how long one round may take; what has no answer by then is reported as unknown
 */
public record LagOptions(IsolationLevel isolation, Duration limit) {
    /** All records, and 5 s. */
    public static final LagOptions DEFAULT = new LagOptions(IsolationLevel.READ_UNCOMMITTED, Duration.ofSeconds(5));

    /** Checks the limit. */
    public LagOptions {
        if (limit.toMillis() < 1) {
            throw new IllegalArgumentException("limit is " + limit + " but must be at least 1 ms: raise it");
        }
    }
}
