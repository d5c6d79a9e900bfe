package dev.laneway.cli;

import dev.laneway.ops.scale.Decision;
import dev.laneway.ops.scale.IncidentReplay;
import dev.laneway.ops.scale.LogEntry;
import dev.laneway.ops.scale.RuleNote;
import dev.laneway.ops.scale.ScalingMetrics;
import dev.laneway.ops.scale.ScalingPolicy;
import dev.laneway.ops.scale.SourceLoad;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Decisions of a log as JSON, by the keys that docs/cli.md has. Pure functions. */
final class AutoscaleJson {
    private AutoscaleJson() {}

    static Map<String, Object> explained(LogEntry entry, int damaged, long lost) {
        Decision decision = entry.decision();
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("application", entry.application());
        json.put("mode", entry.mode());
        json.put("at", DecisionLogOption.time(decision.atMillis()));
        json.put("action", AutoscaleText.name(decision.action()));
        json.put("from", decision.from().members());
        json.put("to", decision.to().members());
        json.put("raw", decision.raw());
        json.put("aligned", decision.aligned());
        json.put("limited_by", decision.clampedBy());
        json.put("sentence", decision.sentence());
        json.put("fired", decision.fired().stream().map(AutoscaleJson::note).toList());
        json.put("held_back", decision.held().stream().map(AutoscaleJson::note).toList());
        json.put("inputs", entry.inputs());
        json.put("policy", entry.policy());
        json.put("damaged_lines", damaged);
        json.put("missing_decisions", lost);
        return json;
    }

    static Map<String, Object> note(RuleNote note) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("rule", AutoscaleText.name(note.rule()));
        json.put("why", note.why());
        json.put("until", note.untilMillis() == null ? null : DecisionLogOption.time(note.untilMillis()));
        return json;
    }

    static Map<String, Object> whyNot(LogEntry entry, int members, List<String> reasons) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("application", entry.application());
        json.put("at", DecisionLogOption.time(entry.decision().atMillis()));
        json.put("members", members);
        json.put("decided", entry.decision().to().members());
        json.put("reasons", reasons);
        return json;
    }

    static Map<String, Object> replayed(List<IncidentReplay.Step> steps, ScalingPolicy policy) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("policy", policy.given());
        json.put("recorded_changes", changes(steps, false));
        json.put("replayed_changes", changes(steps, true));
        json.put("recorded_instance_hours", instanceHours(steps, false));
        json.put("replayed_instance_hours", instanceHours(steps, true));
        json.put("decisions", steps.stream().map(AutoscaleJson::step).toList());
        return json;
    }

    static Map<String, Object> step(IncidentReplay.Step step) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("at", DecisionLogOption.time(step.replayed().atMillis()));
        json.put("estimated", step.isEstimated());
        json.put("members", step.inputs().shape().members());
        json.put("lag", lag(step, true));
        json.put("recorded", step.recorded().decision().sentence());
        json.put("replayed", step.replayed().sentence());
        return json;
    }

    static long changes(List<IncidentReplay.Step> steps, boolean isReplayed) {
        return steps.stream()
                .filter(step -> (isReplayed ? step.replayed() : step.recorded().decision()).isChange())
                .count();
    }

    static double lag(IncidentReplay.Step step, boolean isReplayed) {
        return inputs(step, isReplayed).sources().stream()
                .mapToDouble(SourceLoad::lag)
                .filter(Double::isFinite)
                .sum();
    }

    private static ScalingMetrics inputs(IncidentReplay.Step step, boolean isReplayed) {
        return isReplayed ? step.inputs() : step.recorded().inputs();
    }

    /** Members by the time to the next decision, where the clock has gone on. */
    static double instanceHours(List<IncidentReplay.Step> steps, boolean isReplayed) {
        double hours = 0;
        for (int i = 1; i < steps.size(); i++) {
            ScalingMetrics before = inputs(steps.get(i - 1), isReplayed);
            double millis = Math.max(0, inputs(steps.get(i), isReplayed).atMillis() - before.atMillis());
            hours += before.shape().members() * millis / 3_600_000;
        }
        return hours;
    }
}
