package dev.laneway.ops.observe;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Collects what one read finds. Used by one thread. */
final class SampleBuilder {
    private final Map<Metric, Double> numbers = new HashMap<>();
    private final Map<Metric, String> texts = new HashMap<>();

    /** Takes a finite number or a text; leaves out anything else. */
    void put(Metric metric, @Nullable Object value) {
        if (value instanceof Number number) {
            if (Double.isFinite(number.doubleValue())) {
                numbers.put(metric, number.doubleValue());
            }
        } else if (value instanceof String text) {
            texts.put(metric, text);
        }
    }

    /** As {@link #put}; null is what is not known. */
    void put(String group, String name, Map<String, String> tags, @Nullable Object value) {
        put(Metric.of(group, name, tags), value);
    }

    /** As {@link #put}, without tags. */
    void put(String group, String name, @Nullable Object value) {
        put(group, name, Map.of(), value);
    }

    /** Takes a number unless it has one already. */
    void putIfAbsent(Metric metric, double value) {
        if (!numbers.containsKey(metric)) {
            put(metric, value);
        }
    }

    boolean isEmpty() {
        return numbers.isEmpty() && texts.isEmpty();
    }

    Sample build(String source, long atMillis) {
        return new Sample(source, atMillis, numbers, texts);
    }
}
