package dev.laneway.ops.observe;

import java.util.List;

/**
 * One number over time, as one source told it. Immutable.
 *
 * @param points oldest first, at least one
 */
public record Series(String source, Metric metric, List<Point> points) {
    /** A value at a moment. */
    public record Point(long atMillis, double value) {}

    /** Copies the list. */
    public Series {
        points = List.copyOf(points);
    }

    /** The latest value. */
    public double last() {
        return points.getLast().value();
    }

    /** The first value. */
    public double first() {
        return points.getFirst().value();
    }

    /** The highest value. */
    public double max() {
        return points.stream().mapToDouble(Point::value).max().orElseThrow();
    }

    /** The lowest value. */
    public double min() {
        return points.stream().mapToDouble(Point::value).min().orElseThrow();
    }

    /** The mean of the values. */
    public double mean() {
        return points.stream().mapToDouble(Point::value).average().orElseThrow();
    }

    /** How much a counter grew; one that was reset counts from 0 on. */
    public double growth() {
        double growth = 0;
        for (int i = 1; i < points.size(); i++) {
            double step = points.get(i).value() - points.get(i - 1).value();
            growth += step >= 0 ? step : points.get(i).value();
        }
        return growth;
    }

    /** How often the value fell. */
    public int falls() {
        int falls = 0;
        for (int i = 1; i < points.size(); i++) {
            falls += points.get(i).value() < points.get(i - 1).value() ? 1 : 0;
        }
        return falls;
    }

    /**
     * The same in its latest seconds, for rules that ask what is so now.
     *
     * @param seconds before the last point
     * @param least points that it has in any case, as far as there are so many
     */
    public Series latest(double seconds, int least) {
        long from = points.getLast().atMillis() - Math.round(1e3 * seconds);
        int first = Math.max(0, points.size() - least);
        while (first > 0 && points.get(first - 1).atMillis() >= from) {
            first--;
        }
        return first == 0 ? this : new Series(source, metric, points.subList(first, points.size()));
    }

    /** From the first to the last point, in seconds. */
    public double seconds() {
        return (points.getLast().atMillis() - points.getFirst().atMillis()) / 1e3;
    }

    /** How much a counter grew in a second; NaN with one point. */
    public double rate() {
        return seconds() > 0 ? growth() / seconds() : Double.NaN;
    }
}
