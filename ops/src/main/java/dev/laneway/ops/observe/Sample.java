package dev.laneway.ops.observe;

import java.util.Collections;
import java.util.HashMap;
import java.util.Map;

/**
 * What one source told at one moment. Immutable.
 *
 * @param source which one: the same in each sample of it, such as {@code admin} or {@code pid 4711}
 * @param atMillis when, in milliseconds since 1970
 * @param numbers without those that are NaN or infinite: these are not known
 */
public record Sample(String source, long atMillis, Map<Metric, Double> numbers, Map<Metric, String> texts) {
    /** Copies the maps; as hash maps, which look at a key's hash before they compare it, as {@code Map.of} does not. */
    public Sample {
        numbers = Collections.unmodifiableMap(new HashMap<>(numbers));
        texts = Collections.unmodifiableMap(new HashMap<>(texts));
    }
}
