package dev.laneway.ops.check;

import dev.laneway.ops.observe.Observations;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;

/** A rule that looks at each process with Kafka Streams by itself and tells of the worst. */
record StreamsRule(RuleId id, BiFunction<Instance, Thresholds, Finding> one) implements Rule {
    @Override
    public Finding judge(Observations seen, Thresholds thresholds) {
        List<Instance> instances = Instance.streams(seen);
        if (!instances.isEmpty()) {
            return worst(instances.stream()
                    .map(instance -> one.apply(instance, thresholds))
                    .toList());
        }
        return Instance.any(seen)
                ? Finding.fine(id, "no Kafka Streams here", "", List.of())
                : Finding.unknown(
                        id,
                        "No process of the group is seen from inside.",
                        "Give one with --pid, --jmx or --prometheus.");
    }

    /** The worst of several, with the evidence of all that are as bad. */
    static Finding worst(List<Finding> findings) {
        Finding worst = findings.stream()
                .max(Comparator.comparingInt((Finding finding) -> badness(finding.status()))
                        .thenComparing(Finding::confidence))
                .orElseThrow();
        Set<String> evidence = new LinkedHashSet<>(worst.evidence());
        findings.stream()
                .filter(finding -> finding.status() == worst.status())
                .forEach(finding -> evidence.addAll(finding.evidence()));
        return new Finding(
                worst.rule(),
                worst.status(),
                worst.observed(),
                worst.threshold(),
                new ArrayList<>(evidence),
                worst.diagnosis(),
                worst.recommendation(),
                worst.cause(),
                worst.confidence(),
                worst.blame());
    }

    private static int badness(FindingStatus status) {
        return switch (status) {
            case OK -> 0;
            case UNKNOWN -> 1;
            case WARN -> 2;
            case FAIL -> 3;
        };
    }
}
