package dev.laneway.cli.compare;

import dev.laneway.ops.compare.ComparisonRow;
import dev.laneway.ops.compare.LoadCases;
import dev.laneway.ops.compare.PolicyComparison;
import dev.laneway.ops.compare.ScalingContender;
import dev.laneway.ops.simulate.Assignor;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A comparison as JSON, by the keys that docs/cli.md has. Pure functions. */
final class CompareJson {
    private CompareJson() {}

    static Map<String, Object> of(PolicyComparison comparison, List<Long> seeds, Assignor assignor) {
        Map<String, Object> settings = new LinkedHashMap<>();
        ScalingContender.ALL.forEach(policy -> settings.put(policy.name(), policy.settings()));
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("seeds", seeds);
        json.put("assignor", assignor.name().toLowerCase(Locale.ROOT));
        json.put("goal_seconds", LoadCases.GOAL_SECONDS);
        json.put("policies", settings);
        json.put("rows", comparison.rows().stream().map(CompareJson::row).toList());
        return json;
    }

    private static Map<String, Object> row(ComparisonRow row) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("load", row.load());
        json.put("with_state", row.isStateful());
        json.put("policy", row.policy());
        json.put("breach_minutes", row.breachMinutes());
        json.put("p50_s", row.p50Seconds());
        json.put("p99_s", row.p99Seconds());
        json.put("instance_hours", row.instanceHours());
        json.put("rescales", row.rescales());
        json.put("recovery_s", row.recoverySeconds());
        json.put("on_front", row.isOnFront());
        json.put("first", row.isFirst());
        return json;
    }
}
