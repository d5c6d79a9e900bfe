package dev.laneway.ops.check;

import java.util.ArrayList;
import java.util.List;

/** What a rule saw, on its way to a finding. */
record Judged(RuleId rule, String observed, String threshold, List<String> evidence) {
    Judged {
        evidence = List.copyOf(evidence);
    }

    static Judged of(RuleId rule, String observed, String threshold) {
        return new Judged(rule, observed, threshold, List.of());
    }

    /** The same with more evidence. */
    Judged with(List<String> lines) {
        List<String> all = new ArrayList<>(evidence);
        all.addAll(lines);
        return new Judged(rule, observed, threshold, all);
    }

    Judged with(String line) {
        return with(List.of(line));
    }

    Finding fine() {
        return Finding.fine(rule, observed, threshold, evidence);
    }

    Finding warn(String diagnosis, String recommendation) {
        return bad(FindingStatus.WARN, diagnosis, recommendation);
    }

    Finding fail(String diagnosis, String recommendation) {
        return bad(FindingStatus.FAIL, diagnosis, recommendation);
    }

    Finding bad(FindingStatus status, String diagnosis, String recommendation) {
        return new Finding(
                rule, status, observed, threshold, evidence, diagnosis, recommendation, null, Confidence.MEDIUM);
    }
}
