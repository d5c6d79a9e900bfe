package dev.laneway.ops.scale;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A rule that fired or was held back in a decision. Immutable.
 *
 * @param rule which
 * @param why with numbers, without a full stop
 * @param untilMillis until when that is so at most, in milliseconds since 1970; null if that is not known
 */
public record RuleNote(
        ScalingRule rule, String why, @Nullable Long untilMillis) {
    /** Refuses a note of a log that lacks its rule or its reason. */
    public RuleNote {
        Objects.requireNonNull(rule);
        Objects.requireNonNull(why);
    }

    static RuleNote of(ScalingRule rule, String why) {
        return new RuleNote(rule, why, null);
    }
}
