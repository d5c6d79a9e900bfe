package dev.laneway.dashboard;

import dev.laneway.ops.check.Cause;
import dev.laneway.ops.check.CheckResult;
import dev.laneway.ops.check.CheckResult.Outcome;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How it goes, in the words of {@code laneway check}. Immutable.
 *
 * @param cause what limits or breaks it; null if nothing does, or it cannot be seen
 * @param sentence the verdict for people
 * @param remedy what to do; empty if nothing
 * @param evidence the figures behind it
 * @param blame the partition that is to blame, as topic-number; null if none is more than others
 */
record Verdict(
        Outcome outcome,
        @Nullable Cause cause,
        String sentence,
        String remedy,
        List<String> evidence,
        @Nullable String blame) {
    Verdict {
        evidence = List.copyOf(evidence);
    }

    /** What a check found. */
    static Verdict of(CheckResult result, @Nullable String blame) {
        return new Verdict(
                result.outcome(), result.cause(), result.sentence(), result.remedy(), result.evidence(), blame);
    }

    /** What else it found, as sentences. */
    static List<String> runnersUp(CheckResult result) {
        return result.runnersUp().stream()
                .map(cause -> "Also seen: " + cause.words() + ".")
                .toList();
    }

    static Verdict of(Outcome outcome, String sentence, String remedy, String... evidence) {
        return new Verdict(outcome, null, sentence, remedy, List.of(evidence), null);
    }

    /** Whether it says the same as another, whatever its figures are. */
    boolean isLike(Verdict other) {
        return outcome == other.outcome && cause == other.cause;
    }
}
