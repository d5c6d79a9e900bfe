package dev.laneway.ops.check;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a rule saw, on its way to a finding. Not thread-safe. */
final class FindingBuilder {
    private final RuleId rule;
    private final List<String> evidence = new ArrayList<>();
    private String observed = "";
    private String threshold = "";
    private @Nullable String blame;

    FindingBuilder(RuleId rule) {
        this.rule = rule;
    }

    static FindingBuilder of(RuleId rule, String observed, String threshold) {
        return new FindingBuilder(rule).observed(observed).threshold(threshold);
    }

    FindingBuilder observed(String text) {
        observed = text;
        return this;
    }

    FindingBuilder threshold(String text) {
        threshold = text;
        return this;
    }

    FindingBuilder evidence(String line) {
        evidence.add(line);
        return this;
    }

    FindingBuilder evidence(List<String> lines) {
        evidence.addAll(lines);
        return this;
    }

    /** The partition that is to blame; null if none is more than others. */
    FindingBuilder blame(@Nullable String partition) {
        blame = partition;
        return this;
    }

    Finding fine() {
        return Finding.fine(rule, observed, threshold, evidence);
    }

    Finding warn(@Nullable Cause cause, Confidence sure, String diagnosis, String recommendation) {
        return wrong(FindingStatus.WARN, cause, sure, diagnosis, recommendation);
    }

    Finding fail(@Nullable Cause cause, Confidence sure, String diagnosis, String recommendation) {
        return wrong(FindingStatus.FAIL, cause, sure, diagnosis, recommendation);
    }

    /** Names no cause, unless {@link Finding#because} does. */
    Finding warn(String diagnosis, String recommendation) {
        return bad(FindingStatus.WARN, diagnosis, recommendation);
    }

    /** Names no cause, unless {@link Finding#because} does. */
    Finding fail(String diagnosis, String recommendation) {
        return bad(FindingStatus.FAIL, diagnosis, recommendation);
    }

    /** Names no cause, unless {@link Finding#because} does. */
    Finding bad(FindingStatus status, String diagnosis, String recommendation) {
        return wrong(status, null, Confidence.MEDIUM, diagnosis, recommendation);
    }

    private Finding wrong(
            FindingStatus status, @Nullable Cause cause, Confidence sure, String diagnosis, String recommendation) {
        return new Finding(rule, status, observed, threshold, evidence, diagnosis, recommendation, cause, sure, blame);
    }
}
