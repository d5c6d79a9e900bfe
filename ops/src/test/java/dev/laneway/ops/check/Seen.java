package dev.laneway.ops.check;

import dev.laneway.ops.observe.Metric;
import dev.laneway.ops.observe.Observations;
import dev.laneway.ops.observe.Sample;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Hand-made observations: the values of a number are those of the first, second ... sample of its source, ten seconds
 * apart unless {@link #every} says otherwise. Tags are {@code key=value}, with commas between.
 */
final class Seen {
    private record Told(List<Map<Metric, Double>> numbers, Map<Metric, String> texts, Map<Metric, String[]> changing) {}

    private final Map<String, Told> sources = new LinkedHashMap<>();
    private String source;
    private long everyMillis = 10_000;

    private Seen(String source) {
        this.source = source;
        and(source);
    }

    /** Starts with what one source told. */
    static Seen of(String source) {
        return new Seen(source);
    }

    /** What follows was told by another source. */
    Seen and(String other) {
        source = other;
        sources.computeIfAbsent(other, _ -> new Told(new ArrayList<>(), new LinkedHashMap<>(), new LinkedHashMap<>()));
        return this;
    }

    /** The time between two samples. */
    Seen every(double seconds) {
        everyMillis = Math.round(seconds * 1e3);
        return this;
    }

    /** A number without tags. */
    Seen number(String group, String name, double... values) {
        return number(group, name, "", values);
    }

    /** A number; NaN is one that is not known in this sample. */
    Seen number(String group, String name, String tags, double... values) {
        List<Map<Metric, Double>> numbers = sources.get(source).numbers();
        for (int i = 0; i < values.length; i++) {
            if (numbers.size() == i) {
                numbers.add(new LinkedHashMap<>());
            }
            numbers.get(i).put(metric(group, name, tags), values[i]);
        }
        return this;
    }

    /** A text. */
    Seen text(String group, String name, String tags, String value) {
        sources.get(source).texts().put(metric(group, name, tags), value);
        return this;
    }

    /** A text that is another one in each sample. */
    Seen texts(String group, String name, String tags, String... values) {
        sources.get(source).changing().put(metric(group, name, tags), values);
        return this;
    }

    /** All of it. */
    Observations seen() {
        List<Sample> samples = new ArrayList<>();
        sources.forEach((name, told) -> {
            for (int i = 0; i < Math.max(1, told.numbers().size()); i++) {
                Map<Metric, Double> numbers =
                        i < told.numbers().size() ? told.numbers().get(i) : Map.of();
                Map<Metric, String> texts = new LinkedHashMap<>(told.texts());
                int sample = i;
                told.changing().forEach((metric, values) -> texts.put(metric, values[sample]));
                samples.add(new Sample(name, i * everyMillis, numbers, texts));
            }
        });
        return new Observations(samples);
    }

    private static Metric metric(String group, String name, String tags) {
        Map<String, String> of = new TreeMap<>();
        for (String tag : tags.isEmpty() ? new String[0] : tags.split(",", -1)) {
            int equals = tag.indexOf('=');
            of.put(tag.substring(0, equals), tag.substring(equals + 1));
        }
        return Metric.of(group, name, of);
    }
}
