package dev.laneway.ops.scale;

import com.fasterxml.jackson.annotation.JsonIgnore;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What to do now, why, and what was held back. Immutable.
 *
 * @param atMillis when it was made, in milliseconds since 1970
 * @param action what kind of change
 * @param from what there is
 * @param to what there should be; as {@code from} for HOLD
 * @param raw members that the load needs; 0 if that is not known
 * @param aligned the next useful number of them; 0 if that is not known
 * @param clampedBy what made the number another one, in words
 * @param targets what each source needs
 * @param fired rules that decided
 * @param held rules that wanted or forbade something and did not decide
 * @param expected what the change should bring; null for HOLD
 * @param outcome what an earlier change has brought; null unless it was measured now
 * @param sentence all this in one sentence
 * @param next the state for the next decision
 */
public record Decision(
        long atMillis,
        Action action,
        GroupShape from,
        GroupShape to,
        int raw,
        int aligned,
        List<String> clampedBy,
        List<SourceTarget> targets,
        List<RuleNote> fired,
        List<RuleNote> held,
        @Nullable Expected expected,
        @Nullable Outcome outcome,
        String sentence,
        ScalingState next) {
    /** Copies the lists. */
    public Decision {
        Objects.requireNonNull(action);
        Objects.requireNonNull(from);
        Objects.requireNonNull(to);
        Objects.requireNonNull(sentence);
        Objects.requireNonNull(next);
        clampedBy = List.copyOf(clampedBy);
        targets = List.copyOf(targets);
        fired = List.copyOf(fired);
        held = List.copyOf(held);
    }

    /** Whether anything is to be changed. */
    @JsonIgnore
    public boolean isChange() {
        return action != Action.HOLD;
    }

    Decision withNext(ScalingState state) {
        return new Decision(
                atMillis, action, from, to, raw, aligned, clampedBy, targets, fired, held, expected, outcome, sentence,
                state);
    }

    /** What kind of change. */
    public enum Action {
        /** None. */
        HOLD,
        /** More members. */
        UP,
        /** Fewer members. */
        DOWN,
        /** The same members do more at the same time. */
        TUNE,
        /** The same number of members, each larger. */
        RESIZE
    }

    /**
     * What one source needs.
     *
     * @param source its name
     * @param needRate records a second that there must be capacity for
     * @param needMembers members that this takes
     */
    public record SourceTarget(String source, double needRate, double needMembers) {}

    /**
     * What a change should bring.
     *
     * @param capacity records a second of all members
     * @param busyShare of their time
     * @param drainSeconds until nothing waits; infinite if that is not to be expected
     * @param pauseSeconds for which less is done
     * @param etaSeconds until tasks have moved
     */
    public record Expected(
            double capacity, double busyShare, double drainSeconds, double pauseSeconds, double etaSeconds) {}

    /**
     * What a change has brought.
     *
     * @param expected capacity, in records a second
     * @param measured capacity, in records a second
     * @param isEffective whether enough of the gain is there
     */
    public record Outcome(double expected, double measured, boolean isEffective) {}
}
