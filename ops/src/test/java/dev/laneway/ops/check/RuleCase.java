package dev.laneway.ops.check;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One row of a table: what was seen, and what a rule says to it. */
record RuleCase(
        RuleId rule,
        String name,
        Seen seen,
        FindingStatus status,
        @Nullable Cause cause,
        Thresholds limits) {
    private static final Set<RuleId> WITHOUT_NUMBERS = EnumSet.of(RuleId.P3, RuleId.P4);

    static RuleCase ok(RuleId rule, String name, Seen seen) {
        return new RuleCase(rule, name, seen, FindingStatus.OK, null, Thresholds.USUAL);
    }

    static RuleCase warn(RuleId rule, String name, Seen seen, @Nullable Cause cause) {
        return new RuleCase(rule, name, seen, FindingStatus.WARN, cause, Thresholds.USUAL);
    }

    static RuleCase fail(RuleId rule, String name, Seen seen, @Nullable Cause cause) {
        return new RuleCase(rule, name, seen, FindingStatus.FAIL, cause, Thresholds.USUAL);
    }

    static RuleCase unknown(RuleId rule, String name, Seen seen) {
        return new RuleCase(rule, name, seen, FindingStatus.UNKNOWN, null, Thresholds.USUAL);
    }

    RuleCase with(Threshold threshold, double value) {
        return new RuleCase(rule, name, seen, status, cause, limits.with(threshold, value));
    }

    /** Judges, and checks that the finding is what the row says and tells a reader what he needs. */
    Finding check(List<Rule> rules) {
        Finding found = rules.stream()
                .filter(candidate -> candidate.id() == rule)
                .findFirst()
                .orElseThrow()
                .judge(seen.seen(), limits);
        assertThat(found.rule()).isEqualTo(rule);
        assertThat(found.status()).as("%s", found).isEqualTo(status);
        assertThat(found.cause()).as("%s", found).isEqualTo(cause);
        String words = found.diagnosis() + " " + found.recommendation();
        assertThat(found.observed() + found.threshold() + words).doesNotContain("NaN", "Infinity", "null", "1.797");
        switch (status) {
            case OK -> {
                assertThat(words).isBlank();
                assertThat(found.observed()).isNotBlank();
            }
            case UNKNOWN -> {
                assertThat(found.diagnosis()).endsWith(".");
                assertThat(found.recommendation()).endsWith(".");
            }
            case WARN, FAIL -> {
                assertThat(found.diagnosis()).endsWith(".").containsAnyOf("pid ", "the group");
                assertThat(found.recommendation()).endsWith(".");
                assertThat(found.threshold()).isNotBlank();
                assertThat(found.evidence()).isNotEmpty();
                if (!WITHOUT_NUMBERS.contains(rule)) {
                    assertThat(found.diagnosis()).containsPattern("\\d");
                }
            }
        }
        return found;
    }

    @Override
    public String toString() {
        return rule + " " + status + ": " + name;
    }
}
