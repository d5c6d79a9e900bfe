package dev.laneway.ops.check;

import dev.laneway.ops.check.Cause.Kind;
import dev.laneway.ops.check.CheckResult.Outcome;
import dev.laneway.ops.observe.Observations;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The verdict: a pure function of what was observed. First what breaks the group, then what more instances would not
 * help against, then what they would, in the order of {@link Cause}; exactly one is named first.
 */
public final class GroupCheck {
    private static final List<Rule> RULES = Stream.of(
                    ProgressRules.all(),
                    BacklogRules.all(),
                    PartitionRules.all(),
                    MembershipRules.all(),
                    LanewayRules.all(),
                    LanewayRecordRules.all(),
                    StreamsRules.all(),
                    WaitingRules.all(),
                    MemoryRules.all(),
                    DiskRules.all(),
                    CapacityRules.all())
            .flatMap(List::stream)
            .sorted(Comparator.comparing(Rule::id))
            .toList();

    private GroupCheck() {}

    /** Judges. */
    public static CheckResult judge(Observations seen, Thresholds thresholds) {
        List<Finding> findings = settled(
                RULES.stream().map(rule -> rule.judge(seen, thresholds).brief()).toList());
        List<Finding> breaking = causes(findings, Kind.BREAKS, FindingStatus.FAIL);
        if (!breaking.isEmpty()) {
            return named(Outcome.BROKEN, breaking, findings);
        }
        Finding lag = of(findings, RuleId.C1);
        List<Finding> limiting = causes(findings, Kind.LIMITS, FindingStatus.FAIL);
        if (lag.status() == FindingStatus.FAIL) {
            return limiting.isEmpty() ? unseen(lag, findings) : named(Outcome.LIMITED, limiting, findings);
        }
        Finding progress = of(findings, RuleId.S1);
        if (lag.status() == FindingStatus.UNKNOWN || progress.status() == FindingStatus.UNKNOWN) {
            Finding missing = progress.status() == FindingStatus.UNKNOWN ? progress : lag;
            return new CheckResult(
                    Outcome.UNKNOWN,
                    null,
                    "Whether the group keeps up cannot be told: " + missing.diagnosis() + ".",
                    missing.recommendation(),
                    missing.evidence(),
                    List.of(),
                    Confidence.LOW,
                    missing.blame(),
                    findings);
        }
        return healthy(lag, findings);
    }

    /** What would limit a group limits none whose lag does not grow. */
    private static List<Finding> settled(List<Finding> findings) {
        return of(findings, RuleId.C1).status() == FindingStatus.FAIL
                ? findings
                : findings.stream()
                        .map(finding ->
                                finding.cause() != null && finding.cause().kind() == Kind.LIMITS
                                        ? finding.asWarning()
                                        : finding)
                        .toList();
    }

    private static CheckResult named(Outcome outcome, List<Finding> first, List<Finding> findings) {
        Finding chosen = first.getFirst();
        Cause cause = Objects.requireNonNull(chosen.cause());
        List<Cause> others = findings.stream()
                .map(Finding::cause)
                .filter(Objects::nonNull)
                .filter(other -> other != cause)
                .distinct()
                .sorted()
                .toList();
        return new CheckResult(
                outcome,
                cause,
                (outcome == Outcome.BROKEN ? "Broken: " : "Limited: ") + cause.words() + ". " + chosen.diagnosis(),
                chosen.recommendation(),
                chosen.evidence(),
                others,
                chosen.confidence(),
                blame(cause, findings),
                findings);
    }

    /** Health tells a cause first, and a rule about records which partition has it. */
    private static @Nullable String blame(Cause cause, List<Finding> findings) {
        return findings.stream()
                .filter(finding -> finding.cause() == cause && finding.blame() != null)
                .findFirst()
                .map(Finding::blame)
                .orElse(null);
    }

    private static CheckResult unseen(Finding lag, List<Finding> findings) {
        List<String> how = findings.stream()
                .filter(finding -> finding.status() == FindingStatus.UNKNOWN)
                .map(Finding::recommendation)
                .distinct()
                .toList();
        return new CheckResult(
                Outcome.LIMITED,
                null,
                "Limited, by what cannot be seen. " + lag.diagnosis(),
                how.isEmpty() ? "Profile a member." : "To see more: " + String.join("; ", how) + ".",
                lag.evidence(),
                List.of(),
                Confidence.LOW,
                lag.blame(),
                findings);
    }

    private static CheckResult healthy(Finding lag, List<Finding> findings) {
        List<Finding> remarks = new ArrayList<>(findings.stream()
                .filter(finding -> finding.status() == FindingStatus.FAIL && finding.cause() == null)
                .toList());
        causes(findings, Kind.BREAKS, FindingStatus.WARN).stream()
                .filter(finding -> finding.cause() == Cause.RESTORING) // The others are the past, or only near.
                .forEach(remarks::add);
        remarks.addAll(atCap(findings));
        remarks.addAll(causes(findings, Kind.RISKS, FindingStatus.WARN));
        remarks.addAll(causes(findings, Kind.WASTES, FindingStatus.WARN));
        Optional<Finding> remark = remarks.stream().findFirst();
        return new CheckResult(
                Outcome.HEALTHY,
                remark.map(Finding::cause).orElse(null),
                "Healthy: the group keeps up, its " + lag.observed() + "."
                        + remark.map(finding -> " But " + lower(finding.diagnosis()))
                                .orElse(""),
                remark.map(Finding::recommendation).orElse(""),
                lag.evidence(),
                remarks.stream()
                        .skip(1)
                        .map(Finding::cause)
                        .filter(Objects::nonNull)
                        .toList(),
                Confidence.HIGH,
                null,
                findings);
    }

    /** A disk at the cap that was given for it: the group keeps up, and could not with a little more. */
    private static List<Finding> atCap(List<Finding> findings) {
        return causes(findings, Kind.LIMITS, FindingStatus.WARN).stream()
                .filter(finding -> finding.rule() == RuleId.D2 && finding.confidence() == Confidence.HIGH)
                .toList();
    }

    private static String lower(String sentence) {
        return sentence.isEmpty() ? "" : Character.toLowerCase(sentence.charAt(0)) + sentence.substring(1);
    }

    private static Finding of(List<Finding> findings, RuleId id) {
        return findings.stream()
                .filter(finding -> finding.rule() == id)
                .findFirst()
                .orElseThrow();
    }

    /** Those that name a cause of this kind with at least this status, by the order of the causes. */
    private static List<Finding> causes(List<Finding> findings, Kind kind, FindingStatus least) {
        return findings.stream()
                .filter(finding -> finding.cause() != null && finding.cause().kind() == kind)
                .filter(finding -> finding.status() == FindingStatus.FAIL || finding.status() == least)
                .sorted(Comparator.comparing(Finding::cause))
                .toList();
    }
}
