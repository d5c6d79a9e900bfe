package dev.laneway;

import java.time.Duration;
import java.util.List;

/**
 * Whether the consumer does its work, and if not, why. Immutable.
 *
 * <p>docs/operations.md states which wait is told as what, and how to wire probes.
 *
 * @param status the verdict
 * @param reasons one sentence each, the worst first; empty when all is well
 * @param live false when only a restart of the process can help: it has failed, or the thread that talks to Kafka has
 *     taken no turn for longer than the stall limit. For a liveness probe
 * @param age how long ago the thread that talks to Kafka began its latest turn; what only it finds out is that old
 */
public record Health(Status status, List<String> reasons, boolean live, Duration age) {
    /** The verdict. */
    public enum Status {
        /** Works, or waits for records. */
        UP,
        /** Some records wait, or all are slower, while others flow or could; or the user has paused it. */
        DEGRADED,
        /** No record can flow: failed, closed, no broker, no topic; or one was unfinished beyond the stall limit. */
        DOWN
    }

    /** As of now, and live. */
    public Health(Status status, List<String> reasons) {
        this(status, reasons, true, Duration.ZERO);
    }

    /** Copies the list. */
    public Health {
        reasons = List.copyOf(reasons);
    }

    /** Whether it works, if not at its best: false when {@link Status#DOWN}. For a readiness probe. */
    public boolean ready() {
        return status != Status.DOWN;
    }
}
