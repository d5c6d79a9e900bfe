package dev.laneway;

import java.time.Duration;
import java.util.List;

/**
 * Whether the consumer does its work, and if not, why. Immutable.
 *
 * @param status the verdict
 * @param reasons one sentence each, the worst first; empty when all is well
 * @param age how long ago the thread that talks to Kafka began its latest turn; what only it finds out is that old
 */
public record Health(Status status, List<String> reasons, Duration age) {
    /** The verdict. */
    public enum Status {
        /** Works, or waits for records. */
        UP,
        /** Works, but something needs attention: a pause by the user, a broker that does not answer. */
        DEGRADED,
        /** Does not work: failed, closed, or a record has been unfinished for longer than the stall limit. */
        DOWN
    }

    /** As of now. */
    public Health(Status status, List<String> reasons) {
        this(status, reasons, Duration.ZERO);
    }

    /** Copies the list. */
    public Health {
        reasons = List.copyOf(reasons);
    }
}
