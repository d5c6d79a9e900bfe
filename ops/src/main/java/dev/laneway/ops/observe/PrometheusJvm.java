package dev.laneway.ops.observe;

import java.util.HashMap;
import java.util.Map;

/**
 * Knows what exporters call the numbers of {@link Groups#JVM}: Prometheus' Java client before and from 1.0 on (also in
 * jmx_exporter), Micrometer, and the beans of {@code java.lang} as jmx_exporter names them without rules.
 */
final class PrometheusJvm {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double MILLIS_PER_SECOND = 1e3;

    private final long nowMillis;
    private final SampleBuilder into;
    private final Map<Metric, Double> sums = new HashMap<>(); // Apart: two exporters' names may stand side by side.

    PrometheusJvm(long nowMillis, SampleBuilder into) {
        this.nowMillis = nowMillis;
        this.into = into;
    }

    /** Takes a line if it is known. The name is in lower case. */
    void take(String name, Map<String, String> tags, double value) {
        switch (name) {
            case "jvm_gc_collection_seconds_sum" -> put("gc-time-ms-total", tags, value * MILLIS_PER_SECOND);
            case "jvm_gc_collection_seconds_count" -> put("gc-count-total", tags, value);
            // Told for each cause and action, which are no tags here.
            case "jvm_gc_pause_seconds_sum" -> add("gc-time-ms-total", pauses(tags), value * MILLIS_PER_SECOND);
            case "jvm_gc_pause_seconds_count" -> add("gc-count-total", pauses(tags), value);
            case "java_lang_garbagecollector_collectiontime" -> put("gc-time-ms-total", named(tags, "gc"), value);
            case "java_lang_garbagecollector_collectioncount" -> put("gc-count-total", named(tags, "gc"), value);
            // Of the heap as a whole, or of each of its pools.
            case "jvm_memory_bytes_used", "jvm_memory_used_bytes" -> heap("heap-used-bytes", tags, value);
            case "jvm_memory_bytes_max", "jvm_memory_max_bytes" -> heap("heap-max-bytes", tags, value);
            case "java_lang_memory_heapmemoryusage_used" -> put("heap-used-bytes", tags, value);
            case "java_lang_memory_heapmemoryusage_max" -> putPositive("heap-max-bytes", tags, value);
            case "jvm_memory_pool_collection_used_bytes" -> put("heap-after-gc-bytes", tags, value);
            case "java_lang_memorypool_collectionusage_used" -> put("heap-after-gc-bytes", named(tags, "pool"), value);
            case "jvm_gc_live_data_size_bytes" ->
                putPositive("heap-after-gc-bytes", with(tags, "pool", "long-lived"), value);
            case "process_cpu_seconds_total" -> put("process-cpu-ns-total", tags, value * NANOS_PER_SECOND);
            case "process_cpu_time_ns_total", "java_lang_operatingsystem_processcputime" ->
                putPositive("process-cpu-ns-total", tags, value);
            case "process_cpu_usage", "java_lang_operatingsystem_processcpuload" ->
                putPositive("process-cpu-share", tags, value);
            case "system_cpu_count", "java_lang_operatingsystem_availableprocessors" ->
                put("available-processors", tags, value);
            case "process_uptime_seconds" -> put("uptime-ms", tags, value * MILLIS_PER_SECOND);
            case "java_lang_runtime_uptime" -> put("uptime-ms", tags, value);
            case "process_start_time_seconds" ->
                into.putIfAbsent(Metric.of(Groups.JVM, "uptime-ms", tags), nowMillis - value * MILLIS_PER_SECOND);
            default -> {} // Of something else.
        }
    }

    /** Puts what was told in parts, after all lines. */
    void finish() {
        sums.forEach(into::put);
    }

    private void put(String name, Map<String, String> tags, double value) {
        into.put(Metric.of(Groups.JVM, name, tags), value);
    }

    /** Leaves out -1, which stands for what is not known. */
    private void putPositive(String name, Map<String, String> tags, double value) {
        if (value >= 0) {
            put(name, tags, value);
        }
    }

    private void add(String name, Map<String, String> tags, double value) {
        sums.merge(Metric.of(Groups.JVM, name, tags), value, Double::sum);
    }

    private void heap(String name, Map<String, String> tags, double value) {
        if (!"heap".equals(tags.get("area")) || value < 0) { // The maximum of a pool that has none is -1.
            return;
        }
        Map<String, String> kept = without(tags, "area", "id");
        if (name.equals("heap-max-bytes") && tags.getOrDefault("id", "").startsWith("ZGC")) {
            sums.merge(Metric.of(Groups.JVM, name, kept), value, Math::max); // Each of its pools may have all.
        } else {
            add(name, kept, value);
        }
    }

    private static Map<String, String> pauses(Map<String, String> tags) {
        Map<String, String> kept = without(tags, "action", "cause");
        kept.putIfAbsent("gc", "all");
        return kept;
    }

    private static Map<String, String> named(Map<String, String> tags, String as) {
        Map<String, String> kept = without(tags, "name", "type", "key");
        kept.put(as, tags.getOrDefault("name", "all"));
        return kept;
    }

    private static Map<String, String> with(Map<String, String> tags, String tag, String value) {
        Map<String, String> more = new HashMap<>(tags);
        more.put(tag, value);
        return more;
    }

    private static Map<String, String> without(Map<String, String> tags, String... gone) {
        Map<String, String> kept = new HashMap<>(tags);
        for (String tag : gone) {
            kept.remove(tag);
        }
        return kept;
    }
}
