package dev.laneway.ops.observe;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;

/**
 * What sources told, series by series: takes their samples, and forgets, so that what is observed for ever takes no
 * more memory or time than what is remembered of it. Used by one thread.
 */
final class Memory {
    private final Map<SeriesKey, List<Series.Point>> numbers = new LinkedHashMap<>();
    private final Map<SeriesKey, List<Told>> texts = new LinkedHashMap<>();

    /** A text at a moment. */
    record Told(long atMillis, String text) {}

    /** @param samples of each source oldest first */
    static Memory of(Collection<Sample> samples) {
        Memory memory = new Memory();
        samples.forEach(memory::add);
        return memory;
    }

    void add(Sample sample) {
        sample.numbers().forEach((metric, value) -> {
            if (Double.isFinite(value)) {
                numbers.computeIfAbsent(new SeriesKey(sample.source(), metric), _ -> new ArrayList<>())
                        .add(new Series.Point(sample.atMillis(), value));
            }
        });
        sample.texts()
                .forEach((metric, text) -> texts.computeIfAbsent(
                                new SeriesKey(sample.source(), metric), _ -> new ArrayList<>())
                        .add(new Told(sample.atMillis(), text)));
    }

    /** @param atMillis for each group of metrics, before when it is forgotten */
    void forgetBefore(ToLongFunction<String> atMillis) {
        forgetBefore(numbers, Series.Point::atMillis, atMillis);
        forgetBefore(texts, Told::atMillis, atMillis);
    }

    private static <T> void forgetBefore(
            Map<SeriesKey, List<T>> all, ToLongFunction<T> at, ToLongFunction<String> atMillis) {
        all.entrySet().removeIf(series -> {
            long from = atMillis.applyAsLong(series.getKey().metric().group());
            List<T> points = series.getValue();
            int old = 0;
            while (old < points.size() && at.applyAsLong(points.get(old)) < from) {
                old++;
            }
            points.subList(0, old).clear();
            return points.isEmpty();
        });
    }

    /** Of what a group of metrics told earlier, keeps one point in each so many milliseconds. */
    void thinBefore(String group, long atMillis, long everyMillis) {
        thinBefore(numbers, group, Series.Point::atMillis, atMillis, everyMillis);
        thinBefore(texts, group, Told::atMillis, atMillis, everyMillis);
    }

    private static <T> void thinBefore(
            Map<SeriesKey, List<T>> all, String group, ToLongFunction<T> at, long atMillis, long everyMillis) {
        all.forEach((key, points) -> {
            if (key.metric().group().equals(group)) {
                long[] kept = {Long.MIN_VALUE};
                points.removeIf(point -> {
                    long when = at.applyAsLong(point);
                    if (when < atMillis && kept[0] != Long.MIN_VALUE && when - kept[0] < everyMillis) {
                        return true;
                    }
                    kept[0] = when;
                    return false;
                });
            }
        });
    }

    /** Oldest first, at least one of each; changes as this does. */
    Map<SeriesKey, List<Series.Point>> numbers() {
        return numbers;
    }

    /** As {@link #numbers}. */
    Map<SeriesKey, List<Told>> texts() {
        return texts;
    }
}
