package dev.laneway.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the rounds of a measurement gave. Immutable.
 *
 * @param rounds one value for each measured round, in their order; warm-up rounds are not among them
 */
record BenchFigure(Kind kind, List<Double> rounds) {
    /** How values are written. */
    enum Unit {
        RATIO("times", "%.2f"),
        RATE("records/s", "%,.0f"),
        NANOS("ns", "%,.0f"),
        BYTES("B", "%,.0f");

        private final String label;
        private final String format;

        Unit(String label, String format) {
            this.label = label;
            this.format = format;
        }

        String write(double value) {
            return String.format(Locale.ROOT, format, value);
        }

        String writeWithUnit(double value) {
            return this == RATIO ? write(value) : write(value) + " " + label;
        }
    }

    /**
     * What is to be reached. Where {@code goal} is below {@code must}, less is better.
     *
     * @param must what is called too slow when it is missed
     * @param goal what is aimed at
     */
    record Target(double must, double goal) {
        /** The better of the two that a value reaches. */
        Met met(double value) {
            double sign = goal < must ? -1 : 1;
            return sign * value >= sign * goal ? Met.GOAL : sign * value >= sign * must ? Met.MUST : Met.NO;
        }
    }

    /** What of its target a figure reaches. */
    enum Met {
        GOAL,
        MUST,
        NO;

        String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * What a figure is, before it has values. Immutable.
     *
     * @param id names it in the table and in the JSON; starts with the part
     * @param label the short name in the line of a round
     * @param target null for a figure that only helps to read others
     */
    record Kind(
            String id,
            String label,
            String what,
            Unit unit,
            @Nullable Target target) {}

    BenchFigure {
        rounds = List.copyOf(rounds);
        if (rounds.isEmpty()) {
            throw new IllegalArgumentException(kind.id() + " has no rounds");
        }
    }

    double median() {
        List<Double> sorted = rounds.stream().sorted().toList();
        int half = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted.get(half) : (sorted.get(half - 1) + sorted.get(half)) / 2;
    }

    double min() {
        return rounds.stream().mapToDouble(Double::doubleValue).min().orElseThrow();
    }

    double max() {
        return rounds.stream().mapToDouble(Double::doubleValue).max().orElseThrow();
    }

    /** Whether the median reaches the target; null without one. */
    @Nullable
    Met met() {
        Target target = kind.target();
        return target == null ? null : target.met(median());
    }

    Map<String, @Nullable Object> toJson() {
        Target target = kind.target();
        Met met = met();
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("id", kind.id());
        json.put("what", kind.what());
        json.put("unit", kind.unit().label);
        json.put("must", target == null ? null : target.must());
        json.put("goal", target == null ? null : target.goal());
        json.put("median", Round.to3(median()));
        json.put("min", Round.to3(min()));
        json.put("max", Round.to3(max()));
        json.put("met", met == null ? null : met.text());
        json.put("rounds", rounds.stream().map(Round::to3).toList());
        return json;
    }
}
