package dev.laneway.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.ops.check.Cause;
import dev.laneway.ops.check.CheckResult.Outcome;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Each second something is found. */
class SteadyVerdictTest {
    private final SteadyVerdict verdict = new SteadyVerdict(verdict(Outcome.UNKNOWN, null, "first"));
    private double now = 100;

    private static Verdict verdict(Outcome outcome, @Nullable Cause cause, String sentence) {
        return new Verdict(outcome, cause, sentence, "", List.of(), null);
    }

    private String found(Outcome outcome, @Nullable Cause cause, String sentence) {
        verdict.found(now, verdict(outcome, cause, sentence));
        now++;
        return verdict.said().sentence();
    }

    private String healthy(String sentence) {
        return found(Outcome.HEALTHY, null, sentence);
    }

    @Test
    @DisplayName("B168 The first finding is said at once, and so is what breaks, the worse cause before the other")
    void urgent() {
        assertThat(healthy("a")).isEqualTo("a");
        assertThat(found(Outcome.BROKEN, Cause.STUCK_KEY, "b")).isEqualTo("b");
        assertThat(found(Outcome.BROKEN, Cause.MEMBER_FAILED, "c")).isEqualTo("c");
        assertThat(found(Outcome.BROKEN, Cause.STUCK_KEY, "d")).isEqualTo("c");
    }

    @Test
    @DisplayName("B168 What was found for a moment is not said, and of what is said the figures are the latest")
    void settles() {
        healthy("a");
        assertThat(found(Outcome.LIMITED, Cause.HOT_KEY, "b")).isEqualTo("a");
        assertThat(healthy("c")).isEqualTo("c");
        assertThat(found(Outcome.LIMITED, Cause.HOT_KEY, "d")).isEqualTo("c");
        assertThat(found(Outcome.LIMITED, Cause.HOT_KEY, "e")).isEqualTo("c");
        assertThat(found(Outcome.LIMITED, Cause.CPU, "f")).isEqualTo("c");
        assertThat(found(Outcome.LIMITED, Cause.HOT_KEY, "g")).isEqualTo("c");
        assertThat(found(Outcome.LIMITED, Cause.HOT_KEY, "h")).isEqualTo("c");
        assertThat(found(Outcome.LIMITED, Cause.HOT_KEY, "i")).isEqualTo("c");
        assertThat(found(Outcome.LIMITED, Cause.HOT_KEY, "j")).isEqualTo("j");
    }

    @Test
    @DisplayName("B168 What is over is not said for ever, even if what is found changes each time")
    void stale() {
        found(Outcome.BROKEN, Cause.STUCK_KEY, "a");
        for (int second = 1; second < 10; second++) {
            assertThat(found(Outcome.LIMITED, second % 2 == 0 ? Cause.CPU : Cause.HOT_KEY, "b"))
                    .isEqualTo("a");
        }
        assertThat(found(Outcome.LIMITED, Cause.CPU, "c")).isEqualTo("c");
    }
}
