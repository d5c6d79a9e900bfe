package dev.laneway.ops.control;

import dev.laneway.ops.scale.LogEntry;
import dev.laneway.ops.scale.ScalingState;
import org.jspecify.annotations.Nullable;

/** With which state a loop begins. Pure functions. */
public final class LoopStart {
    private LoopStart() {}

    /**
     * The state after the last decision of a log. What was asked for in act mode still counts in act mode; otherwise
     * what is there counts. A loop that begins to act waits for a cool-down first: nobody can tell what others have
     * changed meanwhile, and where the clock was.
     *
     * @param last the last decision; null if there is none
     * @param nowMillis milliseconds since 1970
     */
    public static ScalingState of(@Nullable LogEntry last, ScalingMode mode, long nowMillis) {
        ScalingState state = last == null ? ScalingState.NEW : after(last, mode);
        return mode == ScalingMode.ACT ? state.changedAt(nowMillis) : state;
    }

    private static ScalingState after(LogEntry last, ScalingMode mode) {
        boolean isForgotten = last.mode().equals(ScalingMode.OBSERVE.word())
                && last.decision().isChange();
        ScalingState state = isForgotten
                ? last.before().unchangedAt(last.decision().atMillis())
                : last.decision().next();
        return last.mode().equals(mode.word()) ? state : state.withoutRequest(state.changedMillis());
    }
}
