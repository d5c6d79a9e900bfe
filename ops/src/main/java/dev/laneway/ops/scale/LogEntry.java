package dev.laneway.ops.scale;

import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * One line of a decision log: what was known, what was decided, and by which policy. Immutable.
 *
 * @param tick the number of the decision in this log, from 0 on; it grows also if the clock goes back
 * @param application whose group it is
 * @param mode observe, recommend or act
 * @param policy what differs from the usual policy
 * @param before the state that the decision began with
 * @param inputs the metrics
 * @param decision what was decided
 * @param lostBefore decisions before this one that could not be written
 */
public record LogEntry(
        long tick,
        String application,
        String mode,
        Map<String, String> policy,
        ScalingState before,
        ScalingMetrics inputs,
        Decision decision,
        long lostBefore) {
    /** Copies the map, and refuses a line of a log that lacks what each one has. */
    public LogEntry {
        Objects.requireNonNull(application);
        Objects.requireNonNull(mode);
        Objects.requireNonNull(before);
        Objects.requireNonNull(inputs);
        Objects.requireNonNull(decision);
        policy = Map.copyOf(policy);
    }

    /** That of a decision; tick and losses are the log's. */
    public static LogEntry of(
            String application,
            String mode,
            ScalingPolicy policy,
            ScalingState before,
            ScalingMetrics inputs,
            Decision decision) {
        return new LogEntry(0, application, mode, policy.given(), before, inputs, decision, 0);
    }

    LogEntry numbered(long number, long lost) {
        return new LogEntry(number, application, mode, new TreeMap<>(policy), before, inputs, decision, lost);
    }

    /**
     * The policy that decided.
     *
     * @throws DecisionLogFailure if it has options that are not known here
     */
    public ScalingPolicy scalingPolicy() {
        try {
            return ScalingPolicy.of(policy);
        } catch (IllegalArgumentException other) {
            throw new DecisionLogFailure(
                    "the policy of decision " + tick + " is not known here (" + other.getMessage()
                            + "): read the log with the program that wrote it",
                    other);
        }
    }
}
