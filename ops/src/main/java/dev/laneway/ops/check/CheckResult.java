package dev.laneway.ops.check;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The verdict on a group, and what it rests on. Immutable.
 *
 * @param outcome healthy, limited, broken or unknown
 * @param cause what limits or breaks the group, or a remark on a healthy one; null if there is none, or it cannot be
 *     seen
 * @param sentence the verdict for people
 * @param remedy what to do; empty if nothing
 * @param evidence the metrics and values behind it
 * @param runnersUp other causes that were seen, in the order in which they count
 * @param confidence how sure it is
 * @param blame the partition that is to blame, as topic-number; null if none is more than others
 * @param findings of all rules, in their order
 */
public record CheckResult(
        Outcome outcome,
        @Nullable Cause cause,
        String sentence,
        String remedy,
        List<String> evidence,
        List<Cause> runnersUp,
        Confidence confidence,
        @Nullable String blame,
        List<Finding> findings) {
    /** Copies the lists. */
    public CheckResult {
        evidence = List.copyOf(evidence);
        runnersUp = List.copyOf(runnersUp);
        findings = List.copyOf(findings);
    }

    /** Whether any rule warns, or fails beside the verdict. */
    public boolean hasWarnings() {
        return findings.stream()
                .anyMatch(finding -> finding.status() == FindingStatus.WARN || finding.status() == FindingStatus.FAIL);
    }

    /** How the group does. */
    public enum Outcome {
        /** It keeps up. */
        HEALTHY,
        /** It makes progress, but more comes than it does. */
        LIMITED,
        /** Records do not flow, or get lost. */
        BROKEN,
        /** Too little could be seen. */
        UNKNOWN
    }
}
