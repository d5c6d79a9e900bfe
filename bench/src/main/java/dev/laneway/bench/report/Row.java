package dev.laneway.bench.report;

import com.fasterxml.jackson.databind.JsonNode;
import dev.laneway.bench.measure.ArmResult;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One arm of one run. Immutable.
 *
 * @param caseName of the scenario
 * @param run from 1 on
 * @param ratioToBare its rate / that of the bare loop in the same case and run; null without one
 * @param taken sources, time and setting
 */
public record Row(
        String scenario,
        String caseName,
        String peer,
        int run,
        @Nullable Double ratioToBare,
        ArmResult result,
        Taken taken) {
    /** Its identity within a run. */
    String id() {
        return id(scenario, caseName, peer, run);
    }

    public static String id(String scenario, String caseName, String peer, int run) {
        return scenario + "/" + caseName + "/" + peer + "/" + run;
    }

    boolean isOk() {
        return result.failure() == null;
    }

    public Row withRatioTo(@Nullable Row bare) {
        Double rate = result.rate();
        Double bareRate = bare == null ? null : bare.result().rate();
        if (rate == null || bare == null || bareRate == null || bareRate == 0 || peer.equals("bare")) {
            return this;
        }
        // A run that was stopped between the two may go on with other sources.
        boolean together = taken.commit().equals(bare.taken().commit());
        ArmResult said = together
                ? result
                : result.noting("its bare loop is of " + bare.taken().commit());
        return new Row(scenario, caseName, peer, run, rate / bareRate, said, taken);
    }

    public Map<String, @Nullable Object> toJson() {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("scenario", scenario);
        json.put("peer", peer);
        json.put("run", run);
        json.put("rate", rounded(result.rate()));
        json.put("ratio_to_bare", rounded(ratioToBare));
        json.put("seconds", rounded(result.seconds()));
        json.put("cpu_s", rounded(result.cpuSeconds()));
        json.put("peak_rss_mb", rounded(result.peakRssMb()));
        json.put("alloc_bytes_per_record", rounded(result.allocBytesPerRecord()));
        json.put("p50_ms", rounded(result.p50Ms()));
        json.put("p99_ms", rounded(result.p99Ms()));
        json.put("notes", isOk() ? result.notes() : "failed: " + result.failure());
        json.put("case", caseName);
        json.put("ok", isOk());
        Map<String, @Nullable Object> figures = new LinkedHashMap<>();
        result.figures().forEach((name, value) -> figures.put(name, rounded(value)));
        json.put("figures", figures);
        json.put("commit", taken.commit());
        json.put("taken_at", taken.at());
        json.put("setting", taken.setting());
        return json;
    }

    static Row of(JsonNode json) {
        boolean ok = json.get("ok").asBoolean();
        String notes = json.get("notes").asText();
        Map<String, Double> figures = new LinkedHashMap<>();
        json.get("figures")
                .properties()
                .forEach(
                        figure -> figures.put(figure.getKey(), figure.getValue().asDouble()));
        ArmResult result = new ArmResult(
                ok ? null : notes.replaceFirst("^failed: ", ""),
                number(json, "rate"),
                number(json, "seconds"),
                number(json, "cpu_s"),
                number(json, "peak_rss_mb"),
                number(json, "alloc_bytes_per_record"),
                number(json, "p50_ms"),
                number(json, "p99_ms"),
                ok ? notes : "",
                figures);
        return new Row(
                json.get("scenario").asText(),
                json.get("case").asText(),
                json.get("peer").asText(),
                json.get("run").asInt(),
                number(json, "ratio_to_bare"),
                result,
                new Taken(text(json, "commit"), text(json, "taken_at"), text(json, "setting")));
    }

    private static String text(JsonNode json, String key) {
        JsonNode value = json.get(key);
        return value == null ? "" : value.asText();
    }

    private static @Nullable Double number(JsonNode json, String key) {
        JsonNode value = json.get(key);
        return value == null || value.isNull() ? null : value.asDouble();
    }

    /** Rounded to the digits that can be trusted. */
    private static @Nullable Double rounded(@Nullable Double value) {
        return value == null || !Double.isFinite(value) ? null : Math.round(value * 1e4) / 1e4;
    }
}
