package dev.laneway.stream;

import dev.laneway.ConfigurationException;
import dev.laneway.engine.config.RecordCopy;
import java.time.Duration;
import java.util.Objects;

/**
 * When {@link Committer} commits. Immutable; docs/streams.md explains the defaults.
 *
 * @param maxBatch the number of offsets that are committed without waiting for more; 10,000
 * @param maxInterval the longest that an offset waits for others; 1 s
 * @param parallelism how many batches may wait for their confirmation before upstream waits; 2, since a consumer makes
 *     one commit at a time
 */
public record CommitterSettings(int maxBatch, Duration maxInterval, int parallelism) {
    private static final Duration LONGEST = Duration.ofDays(36_500);

    /** The defaults. */
    public static final CommitterSettings DEFAULTS = new CommitterSettings(10_000, Duration.ofSeconds(1), 2);

    /**
     * Checks every value.
     *
     * @throws dev.laneway.ConfigurationException if a value is not allowed
     */
    public CommitterSettings {
        if (maxBatch < 1) {
            throw new ConfigurationException("maxBatch", maxBatch, "must be at least 1", "1 commits each by itself");
        }
        Objects.requireNonNull(maxInterval, "maxInterval");
        if (maxInterval.isNegative() || maxInterval.isZero() || maxInterval.compareTo(LONGEST) > 0) {
            throw new ConfigurationException(
                    "maxInterval",
                    maxInterval,
                    "must be positive and at most " + LONGEST,
                    "give the time that an offset may wait");
        }
        if (parallelism < 1) {
            throw new ConfigurationException("parallelism", parallelism, "must be at least 1", "raise it");
        }
    }

    /** The same with another size. */
    public CommitterSettings withMaxBatch(int newMaxBatch) {
        return RecordCopy.with(this, "maxBatch", newMaxBatch);
    }

    /** The same with another time. */
    public CommitterSettings withMaxInterval(Duration newMaxInterval) {
        return RecordCopy.with(this, "maxInterval", newMaxInterval);
    }

    /** The same with another number of batches under way. */
    public CommitterSettings withParallelism(int newParallelism) {
        return RecordCopy.with(this, "parallelism", newParallelism);
    }
}
