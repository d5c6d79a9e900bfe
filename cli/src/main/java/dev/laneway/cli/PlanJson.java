package dev.laneway.cli;

import dev.laneway.ops.plan.Figure;
import dev.laneway.ops.plan.MeasuredWork;
import dev.laneway.ops.plan.ModePlan;
import dev.laneway.ops.plan.Plan;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A plan for {@code --json}. */
final class PlanJson {
    private PlanJson() {}

    static Map<String, @Nullable Object> of(Plan plan, @Nullable MeasuredWork measured) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("ordering", plan.request().mode().word());
        json.put("rate", plan.request().load().rate());
        json.put("service_ms", plan.request().load().serviceSeconds() * 1_000);
        json.put("measured", measured == null ? List.of() : measured.evidence());
        json.put("modes", plan.modes().stream().map(PlanJson::mode).toList());
        json.put("enough", plan.isEnough());
        json.put("figures", plan.figures().stream().map(PlanJson::figure).toList());
        json.put("warnings", plan.warnings());
        return json;
    }

    static Map<String, @Nullable Object> mode(ModePlan mode) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("mode", mode.mode().word());
        json.put("partitions", mode.partitions());
        json.put("members", mode.members());
        json.put("little_rate", mode.little().rate());
        json.put("little_limit", mode.little().limit().name());
        json.put("real_rate", mode.real().rate());
        json.put("real_limit", mode.real().limit().name());
        return json;
    }

    static Map<String, @Nullable Object> figure(Figure figure) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("name", figure.name());
        json.put("value", Double.isFinite(figure.value()) ? figure.value() : null);
        json.put("text", figure.text());
        json.put("sentence", figure.sentence());
        return json;
    }
}
