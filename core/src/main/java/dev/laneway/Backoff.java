package dev.laneway;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * How long to wait before the next attempt. Immutable.
 *
 * @param first the delay after the first failed attempt
 * @param max the longest delay, before jitter
 * @param factor what the delay grows by with each attempt, at least 1
 * @param jitter the share of the delay that is random, 0 to 1, so that records that failed together are not tried
 *     together: 0.2 makes 10 s a delay between 8 and 12 s
 */
public record Backoff(Duration first, Duration max, double factor, double jitter) {
    private static final double DEFAULT_JITTER = 0.2;

    /**
     * Checks the values.
     *
     * @throws ConfigurationException if {@code first} is negative, {@code max} is shorter or too long, the factor is
     *     below 1, or the jitter is not between 0 and 1
     */
    public Backoff {
        if (first.isNegative()) {
            throw new ConfigurationException("backoff.first", first, "must not be negative", "give zero or more");
        }
        Checks.notTooLong("backoff.max", max);
        if (max.compareTo(first) < 0) {
            throw new ConfigurationException(
                    "backoff.max", max, "must be at least backoff.first, " + first, "raise it");
        }
        if (!(factor >= 1)) {
            throw new ConfigurationException(
                    "backoff.factor", factor, "must be at least 1", "2 doubles the delay each time");
        }
        if (!(jitter >= 0 && jitter <= 1)) {
            throw new ConfigurationException("backoff.jitter", jitter, "must be from 0 to 1", "0.2 is a good start");
        }
    }

    /** Doubles from {@code first} to {@code max}, with a jitter of 0.2. */
    public static Backoff exponential(Duration first, Duration max) {
        return new Backoff(first, max, 2, DEFAULT_JITTER);
    }

    /** The same delay each time, with a jitter of 0.2. */
    public static Backoff fixed(Duration delay) {
        return new Backoff(delay, delay, 1, DEFAULT_JITTER);
    }

    /** The same with another jitter, 0 to 1. */
    public Backoff withJitter(double newJitter) {
        return new Backoff(first, max, factor, newJitter);
    }

    /**
     * The delay after a failed attempt.
     *
     * @param attempt the attempt that failed, 1 for the first
     */
    public Duration delay(int attempt, RandomGenerator random) {
        double capped = Math.min((double) max.toNanos(), first.toNanos() * Math.pow(factor, attempt - 1));
        return Duration.ofNanos((long) (capped * (1 + jitter * (2 * random.nextDouble() - 1))));
    }
}
