package dev.laneway.ops.check;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one rule found. Immutable.
 *
 * @param rule whose finding it is
 * @param observed what was seen, in a few words; empty if nothing was
 * @param threshold what would be fine, in a few words
 * @param evidence the metrics and values behind it, one line each; of many the first
 * @param diagnosis one sentence; empty if the status is OK. For UNKNOWN: why it is not known
 * @param recommendation one sentence; empty if the status is OK. For UNKNOWN: how to make it observable
 * @param cause what limits or breaks the group, by this finding; null if it does neither by itself
 * @param confidence how sure that is
 * @param blame the partition that is to blame, as topic-number; null if none is more than others
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
        Confidence confidence,
        @Nullable String blame) {
    private static final int MOST_EVIDENCE = 10;

    /** Copies the list. */
    public Finding {
        evidence = List.copyOf(evidence);
    }

    static Finding fine(RuleId rule, String observed, String threshold, List<String> evidence) {
        return new Finding(rule, FindingStatus.OK, observed, threshold, evidence, "", "", null, Confidence.HIGH, null);
    }

    static Finding unknown(RuleId rule, String why, String how) {
        return new Finding(rule, FindingStatus.UNKNOWN, "", "", List.of(), why, how, null, Confidence.LOW, null);
    }

    /** The same with the first lines of its evidence, if there are many, and how many more there are. */
    Finding brief() {
        if (evidence.size() <= MOST_EVIDENCE) {
            return this;
        }
        List<String> first = new ArrayList<>(evidence.subList(0, MOST_EVIDENCE - 1));
        first.add("and " + (evidence.size() - first.size()) + " more");
        return new Finding(
                rule, status, observed, threshold, first, diagnosis, recommendation, cause, confidence, blame);
    }

    /** The same as the cause of what is wrong. */
    Finding because(Cause because, Confidence sure) {
        return new Finding(
                rule, status, observed, threshold, evidence, diagnosis, recommendation, because, sure, blame);
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
                        confidence,
                        blame)
                : this;
    }
}
