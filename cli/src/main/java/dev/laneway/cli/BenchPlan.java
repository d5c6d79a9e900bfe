package dev.laneway.cli;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How much is measured. Immutable.
 *
 * @param scale the share of the usual records
 * @param rounds measured rounds of everything; null for each measurement's own
 * @param quick one warm-up round and few measured ones, with a tenth of the records
 */
record BenchPlan(
        Set<BenchPart> parts, double scale, @Nullable Integer rounds, boolean quick) {
    private static final int QUICK_WARM_UP = 1;
    private static final int QUICK_ROUNDS = 2;
    private static final double QUICK_SHARE = 0.1;
    private static final long REPLAYED = 2_000_000;
    private static final long LEAST_REPLAYED = 10_000;

    /** How long the handlers of P3 and P4 wait. */
    static final Duration WORK = Duration.ofMillis(10);

    BenchPlan {
        parts = parts.isEmpty() ? EnumSet.allOf(BenchPart.class) : EnumSet.copyOf(parts);
        scale = quick ? scale * QUICK_SHARE : scale;
    }

    /** The topics that it needs, in the order of their use. */
    List<BenchTopic> topics() {
        return parts.stream().flatMap(part -> part.topics().stream()).toList();
    }

    boolean has(BenchPart part) {
        return parts.contains(part);
    }

    /** Warm-up rounds, where so many are usual. */
    int warmUp(int usual) {
        return quick ? Math.min(usual, QUICK_WARM_UP) : usual;
    }

    /** Measured rounds, where so many are usual. */
    int measured(int usual) {
        return rounds != null ? rounds : quick ? Math.min(usual, QUICK_ROUNDS) : usual;
    }

    /** Records of the replay without a broker. */
    long replayed() {
        return Math.max(LEAST_REPLAYED, Math.round(REPLAYED * scale));
    }
}
