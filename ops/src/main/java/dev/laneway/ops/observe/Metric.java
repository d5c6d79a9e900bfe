package dev.laneway.ops.observe;

import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The name of one number or text, as Kafka names its metrics. Immutable. No record, since a hash that goes through the
 * tags is kept: each look at a group makes and finds thousands of these.
 */
public final class Metric {
    private final String group;
    private final String name;
    private final SortedMap<String, String> tags;
    private final int tagsHash;
    private final int hash;

    /** @param tags that nobody changes any more */
    private Metric(String group, String name, SortedMap<String, String> tags, int tagsHash) {
        this.group = group;
        this.name = name;
        this.tags = tags;
        this.tagsHash = tagsHash;
        this.hash = 31 * (31 * group.hashCode() + name.hashCode()) + tagsHash;
    }

    /**
     * Makes a name; copies the tags.
     *
     * @param group Kafka's, such as {@code consumer-coordinator-metrics}, or one of {@link Groups}
     * @param name such as {@code last-rebalance-seconds-ago}
     * @param tags such as {@code client-id}
     */
    public static Metric of(String group, String name, Map<String, String> tags) {
        SortedMap<String, String> copy = Collections.unmodifiableSortedMap(new TreeMap<>(tags));
        return new Metric(group, name, copy, copy.hashCode());
    }

    /** Makes a name without tags. */
    public static Metric of(String group, String name) {
        return of(group, name, Map.of());
    }

    /** Another name of the same group with the same tags, which are not copied. */
    Metric named(String other) {
        return new Metric(group, other, tags, tagsHash);
    }

    /** Kafka's group, or one of {@link Groups}. */
    public String group() {
        return group;
    }

    /** The name within its group. */
    public String name() {
        return name;
    }

    /** The tags, in the order of their names. */
    public SortedMap<String, String> tags() {
        return tags;
    }

    /** A tag; empty where there is none. */
    public String tag(String key) {
        return tags.getOrDefault(key, "");
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Metric metric
                && hash == metric.hash
                && name.equals(metric.name)
                && group.equals(metric.group)
                && tags.equals(metric.tags);
    }

    @Override
    public int hashCode() {
        return hash;
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
