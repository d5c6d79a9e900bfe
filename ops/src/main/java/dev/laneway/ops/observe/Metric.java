package dev.laneway.ops.observe;

import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The name of one number or text, as Kafka names its metrics. Immutable.
 *
 * @param group Kafka's, such as {@code consumer-coordinator-metrics}, or one of {@link Groups}
 * @param name such as {@code last-rebalance-seconds-ago}
 * @param tags such as {@code client-id}, in the order of their names
 */
public record Metric(String group, String name, SortedMap<String, String> tags) {
    /** Copies the tags. */
    public Metric {
        tags = java.util.Collections.unmodifiableSortedMap(new TreeMap<>(tags));
    }

    /** Makes a name. */
    public static Metric of(String group, String name, Map<String, String> tags) {
        return new Metric(group, name, tags instanceof SortedMap<String, String> sorted ? sorted : new TreeMap<>(tags));
    }

    /** Makes a name without tags. */
    public static Metric of(String group, String name) {
        return of(group, name, Map.of());
    }

    /** A tag; empty where there is none. */
    public String tag(String key) {
        return tags.getOrDefault(key, "");
    }

    @Override
    public String toString() {
        return tags.isEmpty()
                ? group + "/" + name
                : group + "/" + name
                        + tags.entrySet().stream()
                                .map(tag -> tag.getKey() + "=" + tag.getValue())
                                .collect(Collectors.joining(",", "{", "}"));
    }
}
