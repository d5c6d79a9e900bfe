package dev.laneway.cli;

import dev.laneway.ops.simulate.Scenario;
import dev.laneway.ops.simulate.SimulationResult;
import dev.laneway.ops.simulate.Tick;
import java.util.LinkedHashMap;
import java.util.Map;

/** What came of a simulation, for {@code --json}. */
final class SimulateJson {
    private SimulateJson() {}

    static Map<String, Object> of(SimulationResult result, Scenario scenario, double wallSeconds) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("seed", scenario.span().seed());
        json.put("seconds", scenario.span().seconds());
        json.put("appended", result.appended());
        json.put("done", result.done());
        json.put("rate", result.rate());
        json.put("lag_end", result.lag());
        json.put("lag_max", result.mostLag());
        json.put("busy", result.busyShare());
        json.put("p50_ms", result.p50Seconds() * 1e3);
        json.put("p99_ms", result.p99Seconds() * 1e3);
        json.put("max_ms", result.maxSeconds() * 1e3);
        json.put("instance_hours", result.instanceHours());
        json.put("breach_minutes", result.breachMinutes());
        json.put("rescales", result.rescales());
        json.put("simulated_rate", (double) result.done() / wallSeconds);
        json.put("ticks", result.ticks().stream().map(SimulateJson::tick).toList());
        return json;
    }

    static Map<String, Object> tick(Tick tick) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("at_s", tick.seconds());
        json.put("lag", tick.lag());
        json.put("age_s", tick.ageSeconds());
        json.put("append_rate", tick.appendRate());
        json.put("process_rate", tick.processRate());
        json.put("busy_share", tick.busyShare());
        json.put("members", tick.members());
        json.put("requested_members", tick.requestedMembers());
        json.put("concurrency", tick.concurrency());
        json.put("moving", tick.isMoving());
        json.put("p99_of_tick_ms", tick.p99Seconds() * 1e3);
        return json;
    }
}
