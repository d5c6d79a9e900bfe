package dev.laneway.ops.scale;

import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

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
 * @param actedBefore what became of the change that was decided before; null if there was none, or nobody acts
 */
public record LogEntry(
        long tick,
        String application,
        String mode,
        Map<String, String> policy,
        ScalingState before,
        ScalingMetrics inputs,
        Decision decision,
        long lostBefore,
        @Nullable String actedBefore) {
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
        return new LogEntry(0, application, mode, policy.given(), before, inputs, decision, 0, null);
    }

    /** The same with what became of the change that was decided before. */
    public LogEntry after(@Nullable String acted) {
        return new LogEntry(tick, application, mode, policy, before, inputs, decision, lostBefore, acted);
    }

    LogEntry numbered(long number, long lost) {
        return new LogEntry(
                number, application, mode, new TreeMap<>(policy), before, inputs, decision, lost, actedBefore);
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
