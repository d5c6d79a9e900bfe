package dev.laneway.ops.observe;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Predicate;

/** What was seen of one group in a time: samples of one or more sources. Immutable. */
public final class Observations {
    private final Map<SeriesKey, Series> numbers = new HashMap<>();
    private final Map<SeriesKey, Text> texts = new HashMap<>();
    private final Map<Metric, Text> firstTexts = new HashMap<>();
    private final Map<Name, List<Series>> numbersByName = new HashMap<>();
    private final Map<Name, List<Text>> textsByName = new HashMap<>();
    private final Map<String, Set<String>> groupsBySource = new LinkedHashMap<>();
    private final Map<Class<?>, Object> made = new ConcurrentHashMap<>();
    private final double seconds;

    /** @param samples of each source oldest first */
    public Observations(List<Sample> samples) {
        this(Memory.of(samples));
    }

    Observations(Memory memory) {
        long first = Long.MAX_VALUE;
        long last = Long.MIN_VALUE;
        for (Map.Entry<SeriesKey, List<Series.Point>> told : memory.numbers().entrySet()) {
            SeriesKey key = told.getKey();
            Series series = new Series(key.source(), key.metric(), told.getValue());
            numbers.put(key, series);
            numbersByName
                    .computeIfAbsent(Name.of(key.metric()), _ -> new ArrayList<>())
                    .add(series);
            seen(key);
            first = Math.min(first, series.points().getFirst().atMillis());
            last = Math.max(last, series.points().getLast().atMillis());
        }
        for (Map.Entry<SeriesKey, List<Memory.Told>> told : memory.texts().entrySet()) {
            SeriesKey key = told.getKey();
            List<Memory.Told> values = told.getValue();
            Text text = new Text(
                    key.source(),
                    key.metric(),
                    values.stream().map(Memory.Told::text).toList());
            texts.put(key, text);
            firstTexts.putIfAbsent(key.metric(), text);
            textsByName
                    .computeIfAbsent(Name.of(key.metric()), _ -> new ArrayList<>())
                    .add(text);
            seen(key);
            first = Math.min(first, values.getFirst().atMillis());
            last = Math.max(last, values.getLast().atMillis());
        }
        seconds = first <= last ? (last - first) / 1e3 : 0;
    }

    private void seen(SeriesKey key) {
        groupsBySource
                .computeIfAbsent(key.source(), _ -> new HashSet<>())
                .add(key.metric().group());
    }

    private record Name(String group, String name) {
        static Name of(Metric metric) {
            return new Name(metric.group(), metric.name());
        }
    }

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

    /** The sources that told anything of a group of metrics that a condition takes. */
    public List<String> sources(Predicate<String> group) {
        List<String> sources = new ArrayList<>();
        groupsBySource.forEach((source, groups) -> {
            if (groups.stream().anyMatch(group)) {
                sources.add(source);
            }
        });
        return sources;
    }

    /** From the first to the last sample, in seconds. */
    public double seconds() {
        return seconds;
    }

    /** All series of a name, of all sources and with any tags. */
    public List<Series> all(String group, String name) {
        return List.copyOf(numbersByName.getOrDefault(new Name(group, name), List.of()));
    }

    /** Those that a condition takes. */
    public List<Series> all(String group, String name, Predicate<Series> taken) {
        return all(group, name).stream().filter(taken).toList();
    }

    /** The series of a name in one source with exactly these tags. */
    public Optional<Series> one(String source, Metric metric) {
        return Optional.ofNullable(numbers.get(new SeriesKey(source, metric)));
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
        return List.copyOf(textsByName.getOrDefault(new Name(group, name), List.of()));
    }

    /** The latest text of a name with these tags, of whichever source. */
    public Optional<String> text(Metric metric) {
        return Optional.ofNullable(firstTexts.get(metric)).map(Text::last);
    }

    /** The latest text of a name in one source with exactly these tags. */
    public Optional<String> text(String source, Metric metric) {
        return Optional.ofNullable(texts.get(new SeriesKey(source, metric))).map(Text::last);
    }

    /** Whether any source told anything of a group of metrics. */
    public boolean has(String group) {
        return groupsBySource.values().stream().anyMatch(groups -> groups.contains(group));
    }

    /**
     * What somebody makes of these observations, made once and kept with them, since many ask for the same.
     *
     * @param type of what is made, by which it is found again
     * @param make a pure function; may be called twice if two threads ask at once
     */
    public <T> T once(Class<T> type, Function<Observations, T> make) {
        Object kept = made.get(type);
        if (kept == null) {
            kept = make.apply(this);
            made.put(type, kept);
        }
        return type.cast(kept);
    }
}
