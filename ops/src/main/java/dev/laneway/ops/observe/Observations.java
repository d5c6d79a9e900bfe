package dev.laneway.ops.observe;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.Predicate;

/** What was seen of one group in a time: samples of one or more sources. Immutable. */
public final class Observations {
    private final List<Sample> samples;
    private final Map<Key, Series> numbers = new LinkedHashMap<>();
    private final Map<Key, List<String>> texts = new LinkedHashMap<>();

    /** @param samples of each source oldest first */
    public Observations(List<Sample> samples) {
        this.samples = List.copyOf(samples);
        Map<Key, List<Series.Point>> points = new LinkedHashMap<>();
        for (Sample sample : samples) {
            sample.numbers().forEach((metric, value) -> {
                if (Double.isFinite(value)) {
                    points.computeIfAbsent(new Key(sample.source(), metric), _ -> new ArrayList<>())
                            .add(new Series.Point(sample.atMillis(), value));
                }
            });
            sample.texts()
                    .forEach((metric, text) -> texts.computeIfAbsent(
                                    new Key(sample.source(), metric), _ -> new ArrayList<>())
                            .add(text));
        }
        points.forEach((key, of) -> numbers.put(key, new Series(key.source, key.metric, of)));
    }

    private record Key(String source, Metric metric) {}

    /**
     * A text over time, and who told it.
     *
     * @param values oldest first, at least one
     */
    public record Text(String source, Metric metric, List<String> values) {
        /** Copies the list. */
        public Text {
            values = List.copyOf(values);
        }

        /** The latest. */
        public String last() {
            return values.getLast();
        }
    }

    /** The samples. */
    public List<Sample> samples() {
        return samples;
    }

    /** From the first to the last sample, in seconds. */
    public double seconds() {
        long first = samples.stream().mapToLong(Sample::atMillis).min().orElse(0);
        long last = samples.stream().mapToLong(Sample::atMillis).max().orElse(0);
        return (last - first) / 1e3;
    }

    /** All series of a name, of all sources and with any tags. */
    public List<Series> all(String group, String name) {
        return numbers.values().stream()
                .filter(series -> series.metric().group().equals(group)
                        && series.metric().name().equals(name))
                .toList();
    }

    /** Those that a condition takes. */
    public List<Series> all(String group, String name, Predicate<Series> taken) {
        return all(group, name).stream().filter(taken).toList();
    }

    /** The series of a name in one source with exactly these tags. */
    public Optional<Series> one(String source, Metric metric) {
        return Optional.ofNullable(numbers.get(new Key(source, metric)));
    }

    /** The highest of the latest values of a name. */
    public OptionalDouble max(String group, String name) {
        return all(group, name).stream().mapToDouble(Series::last).max();
    }

    /** The sum of the latest values of a name. */
    public OptionalDouble sum(String group, String name) {
        List<Series> all = all(group, name);
        return all.isEmpty()
                ? OptionalDouble.empty()
                : OptionalDouble.of(all.stream().mapToDouble(Series::last).sum());
    }

    /** All texts of a name, of all sources and with any tags. */
    public List<Text> texts(String group, String name) {
        List<Text> found = new ArrayList<>();
        texts.forEach((key, values) -> {
            if (key.metric.group().equals(group) && key.metric.name().equals(name)) {
                found.add(new Text(key.source, key.metric, values));
            }
        });
        return found;
    }

    /** The latest text of a name with these tags, of whichever source. */
    public Optional<String> text(Metric metric) {
        return texts.entrySet().stream()
                .filter(entry -> entry.getKey().metric.equals(metric))
                .map(entry -> entry.getValue().getLast())
                .findFirst();
    }

    /** Whether any source told anything of a group of metrics. */
    public boolean has(String group) {
        return numbers.keySet().stream().anyMatch(key -> key.metric.group().equals(group))
                || texts.keySet().stream().anyMatch(key -> key.metric.group().equals(group));
    }
}
