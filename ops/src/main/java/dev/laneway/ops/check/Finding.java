package dev.laneway.ops.check;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one rule found. Immutable.
 *
 * @param rule whose finding it is
 * @param observed what was seen, in a few words; empty if nothing was
 * @param threshold what would be fine, in a few words
 * @param evidence the metrics and values behind it, one line each
 * @param diagnosis one sentence; empty if the status is OK. For UNKNOWN: why it is not known
 * @param recommendation one sentence; empty if the status is OK. For UNKNOWN: how to make it observable
 * @param cause what limits or breaks the group, by this finding; null if it does neither by itself
 * @param confidence how sure that is
 */
public record Finding(
        RuleId rule,
        FindingStatus status,
        String observed,
        String threshold,
        List<String> evidence,
        String diagnosis,
        String recommendation,
        @Nullable Cause cause,
        Confidence confidence) {
    /** Copies the list. */
    public Finding {
        evidence = List.copyOf(evidence);
    }

    static Finding fine(RuleId rule, String observed, String threshold, List<String> evidence) {
        return new Finding(rule, FindingStatus.OK, observed, threshold, evidence, "", "", null, Confidence.HIGH);
    }

    static Finding unknown(RuleId rule, String why, String how) {
        return new Finding(rule, FindingStatus.UNKNOWN, "", "", List.of(), why, how, null, Confidence.LOW);
    }

    /** The same as the cause of what is wrong. */
    Finding because(Cause because, Confidence sure) {
        return new Finding(rule, status, observed, threshold, evidence, diagnosis, recommendation, because, sure);
    }

    /** The same, but a failure is a warning. */
    Finding asWarning() {
        return status == FindingStatus.FAIL
                ? new Finding(
                        rule,
                        FindingStatus.WARN,
                        observed,
                        threshold,
                        evidence,
                        diagnosis,
                        recommendation,
                        cause,
                        confidence)
                : this;
    }
}
