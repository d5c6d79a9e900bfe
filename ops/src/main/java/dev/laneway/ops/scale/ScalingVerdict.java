package dev.laneway.ops.scale;

import dev.laneway.ops.check.Cause;
import dev.laneway.ops.check.CheckResult;
import dev.laneway.ops.check.Confidence;
import org.jspecify.annotations.Nullable;

/**
 * What of a check's result decides about scaling. Immutable.
 *
 * @param outcome healthy, limited, broken or unknown
 * @param cause by what; null if by nothing, or by what cannot be seen
 * @param remedy what to do; empty if nothing
 * @param confidence how sure it is; one of low confidence forbids nothing
 */
public record ScalingVerdict(
        CheckResult.Outcome outcome, @Nullable Cause cause, String remedy, Confidence confidence) {
    /** That of a check. */
    public static ScalingVerdict of(CheckResult result) {
        return new ScalingVerdict(result.outcome(), result.cause(), result.remedy(), result.confidence());
    }

    boolean isBroken() {
        return outcome == CheckResult.Outcome.BROKEN;
    }

    /** What limits the group, if that is sure enough to act on. */
    @Nullable
    Cause limit() {
        return outcome == CheckResult.Outcome.LIMITED && confidence != Confidence.LOW ? cause : null;
    }

    /** The remedy as the end of a sentence. */
    String words() {
        String text = remedy.strip();
        return text.isEmpty()
                ? "run laneway check for more"
                : text.endsWith(".") ? text.substring(0, text.length() - 1) : text;
    }
}
