package dev.laneway.testkit.sim;

import java.time.Duration;

/** Durations as nanoseconds without overflow: Kafka's API is full of {@code Duration.ofMillis(Long.MAX_VALUE)}. */
final class SimTimes {
    private SimTimes() {}

    static long nanos(Duration duration) {
        if (duration.toSeconds() >= Long.MAX_VALUE / 1_000_000_000L) {
            return Long.MAX_VALUE;
        }
        return duration.toNanos();
    }

    static long millis(long millis) {
        return millis >= Long.MAX_VALUE / 1_000_000L ? Long.MAX_VALUE : millis * 1_000_000L;
    }
}
