package dev.laneway.dashboard;

import dev.laneway.ops.check.Cause;
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

    /** What a cause makes of it. */
    static Verdict of(Cause cause, String diagnosis, String remedy, List<String> evidence, @Nullable String blame) {
        boolean breaks = cause.kind() == Cause.Kind.BREAKS;
        return new Verdict(
                breaks ? Outcome.BROKEN : Outcome.LIMITED,
                cause,
                (breaks ? "Broken: " : "Limited: ") + cause.words() + ". " + diagnosis,
                remedy,
                evidence,
                blame);
    }

    static Verdict of(Outcome outcome, String sentence, String remedy, String... evidence) {
        return new Verdict(outcome, null, sentence, remedy, List.of(evidence), null);
    }

    /** Whether it says the same as another, whatever its figures are. */
    boolean isLike(Verdict other) {
        return outcome == other.outcome && cause == other.cause;
    }
}
