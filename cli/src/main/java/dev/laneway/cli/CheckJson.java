package dev.laneway.cli;

import dev.laneway.ops.check.CheckResult;
import dev.laneway.ops.check.Finding;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A verdict for {@code --json}. */
final class CheckJson {
    private CheckJson() {}

    static Map<String, @Nullable Object> of(CheckResult result, String name) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("group", name);
        json.put("outcome", result.outcome().name());
        json.put("cause", result.cause() == null ? null : result.cause().name());
        json.put("confidence", result.confidence().name());
        json.put("sentence", result.sentence());
        json.put("remedy", result.remedy());
        json.put("evidence", result.evidence());
        json.put("runners_up", result.runnersUp());
        json.put("findings", result.findings().stream().map(CheckJson::finding).toList());
        return json;
    }

    static Map<String, @Nullable Object> finding(Finding finding) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("rule", finding.rule().name());
        json.put("title", finding.rule().title());
        json.put("status", finding.status().name());
        json.put("observed", finding.observed());
        json.put("threshold", finding.threshold());
        json.put("evidence", finding.evidence());
        json.put("diagnosis", finding.diagnosis());
        json.put("recommendation", finding.recommendation());
        json.put("cause", finding.cause() == null ? null : finding.cause().name());
        json.put("confidence", finding.confidence().name());
        return json;
    }
}
