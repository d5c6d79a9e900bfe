package dev.laneway.ops.check;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.stream.Collectors;

/** The limits that rules compare with. Immutable. */
public final class Thresholds {
    /** All as usual. */
    public static final Thresholds USUAL = new Thresholds(new EnumMap<>(Threshold.class));

    private final Map<Threshold, Double> set;

    private Thresholds(Map<Threshold, Double> set) {
        this.set = set;
    }

    /** The same with another value of one. */
    public Thresholds with(Threshold threshold, double value) {
        if (!(value >= 0) || Double.isInfinite(value)) {
            throw new IllegalArgumentException(
                    threshold.key() + " is " + value + " but must be 0 or more: give such a number");
        }
        EnumMap<Threshold, Double> copy = new EnumMap<>(Threshold.class);
        copy.putAll(set);
        copy.put(threshold, value);
        return new Thresholds(copy);
    }

    /** The same with another value of the one with this name, see {@link Threshold#key()}. */
    public Thresholds with(String key, double value) {
        Threshold threshold = Arrays.stream(Threshold.values())
                .filter(known -> known.key().equals(key))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no threshold " + key + ": give one of "
                        + Arrays.stream(Threshold.values()).map(Threshold::key).collect(Collectors.joining(", "))));
        return with(threshold, value);
    }

    /** The value of one. */
    public double of(Threshold threshold) {
        return set.getOrDefault(threshold, threshold.usual());
    }
}
