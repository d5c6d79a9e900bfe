package dev.laneway.ops.check;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Puts a finding together. Not thread-safe. */
final class FindingBuilder {
    private final RuleId rule;
    private final List<String> evidence = new ArrayList<>();
    private String observed = "";
    private String threshold = "";

    FindingBuilder(RuleId rule) {
        this.rule = rule;
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

    Finding fine() {
        return Finding.fine(rule, observed, threshold, evidence);
    }

    Finding warn(@Nullable Cause cause, Confidence sure, String diagnosis, String recommendation) {
        return wrong(FindingStatus.WARN, cause, sure, diagnosis, recommendation);
    }

    Finding fail(@Nullable Cause cause, Confidence sure, String diagnosis, String recommendation) {
        return wrong(FindingStatus.FAIL, cause, sure, diagnosis, recommendation);
    }

    private Finding wrong(
            FindingStatus status, @Nullable Cause cause, Confidence sure, String diagnosis, String recommendation) {
        return new Finding(rule, status, observed, threshold, evidence, diagnosis, recommendation, cause, sure);
    }
}
