package dev.laneway;

import java.time.Duration;
import java.util.List;

/**
 * Whether the consumer does its work, and if not, why. Immutable.
 *
 * <p>docs/operations.md lists the reasons and shows how to wire probes.
 *
 * @param status the verdict
 * @param reasons one sentence each, the worst first; empty when all is well. Under {@code UP} they stop no record: they
 *     say what you should know, such as a cluster whose transactions are not fit for exactly-once
 * @param live false if only a restart of the process can help: the consumer has failed, or its owner thread has made no
 *     progress for longer than the stall limit. For a liveness probe
 * @param age how long ago the owner thread began its latest turn: positions and confirmed commits are that old
 */
public record Health(Status status, List<String> reasons, boolean live, Duration age) {
    /** The verdict. */
    public enum Status {
        /** Works, or waits for records. */
        UP,
        /** Some records wait or are slow, others flow or could; or the user has paused it. */
        DEGRADED,
        /**
         * No record can flow (failed, closed, no broker, no topic), or a record is unfinished for longer than the stall
         * limit.
         */
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

    /** False if the status is {@link Status#DOWN}. For a readiness probe. */
    public boolean ready() {
        return status != Status.DOWN;
    }
}
