package dev.laneway;

import dev.laneway.engine.config.RecordCopy;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The limits of time that consumers with handlers and streams share; see {@link LanewayBuilder#limits} and
 * {@link dev.laneway.stream.ConsumerSettings#withLimits}. Immutable. docs/configuration.md explains the defaults.
 *
 * @param drainLimit how long a rebalance waits for what runs of a revoked partition: its handlers, or a stream's
 *     delivered records that are not acknowledged; null, the default: 10 s or a third of {@code max.poll.interval.ms},
 *     whichever is shorter
 * @param closeLimit how long {@code close} waits for handlers before it interrupts them, and a stream's consumer for
 *     acknowledgements after the stream has ended, was stopped or cancelled; 30 s
 * @param stallLimit after which age an unfinished record makes the health DOWN; in a stream also one that is not
 *     requested, which is logged, and {@code max.poll.interval.ms} at most; 5 min
 * @param stuckLimit after which age an unfinished record makes the health DEGRADED, which names it, its key and what it
 *     waits for; {@code stallLimit} at most; 1 min
 * @param healthLimit how soon {@code health()} names what keeps records from flowing; 10 s
 * @param brokerLimit how long the consumer waits for a broker that does not answer, where it has to wait; 1 min
 * @param commitRefresh how often unchanged progress is committed again, so that brokers do not forget it; far below
 *     their {@code offsets.retention.minutes}; 10 min
 * @param retryAuthorization how long authentication and authorisation errors are retried before they stop the consumer
 *     or fail the stream; zero, the default: at once
 */
public record Limits(
        @Nullable Duration drainLimit,
        Duration closeLimit,
        Duration stallLimit,
        Duration stuckLimit,
        Duration healthLimit,
        Duration brokerLimit,
        Duration commitRefresh,
        Duration retryAuthorization) {

    /** The defaults. */
    public static final Limits DEFAULTS = new Limits(
            null,
            Duration.ofSeconds(30),
            Duration.ofMinutes(5),
            Duration.ofMinutes(1),
            Duration.ofSeconds(10),
            Duration.ofMinutes(1),
            Duration.ofMinutes(10),
            Duration.ZERO);

    /**
     * Checks each value.
     *
     * @throws ConfigurationException if a value is not allowed
     */
    public Limits {
        if (drainLimit != null) {
            Checks.notNegative("drainLimit", drainLimit, "zero waits for nothing");
        }
        Checks.notNegative("closeLimit", closeLimit, "zero waits for nothing");
        Checks.positive("stallLimit", stallLimit);
        Checks.positive("stuckLimit", stuckLimit);
        Checks.positive("healthLimit", healthLimit);
        Checks.positive("brokerLimit", brokerLimit);
        Checks.positive("commitRefresh", commitRefresh);
        Checks.notNegative("retryAuthorization", retryAuthorization, "zero stops at once");
    }

    /** The same with another drain limit; null for the default. */
    public Limits withDrainLimit(@Nullable Duration newDrainLimit) {
        return RecordCopy.with(this, "drainLimit", newDrainLimit);
    }

    /** The same with another close limit. */
    public Limits withCloseLimit(Duration newCloseLimit) {
        return RecordCopy.with(this, "closeLimit", newCloseLimit);
    }

    /** The same with another stall limit. */
    public Limits withStallLimit(Duration newStallLimit) {
        return RecordCopy.with(this, "stallLimit", newStallLimit);
    }

    /** The same with another stuck limit. */
    public Limits withStuckLimit(Duration newStuckLimit) {
        return RecordCopy.with(this, "stuckLimit", newStuckLimit);
    }

    /** The same with another health limit. */
    public Limits withHealthLimit(Duration newHealthLimit) {
        return RecordCopy.with(this, "healthLimit", newHealthLimit);
    }

    /** The same with another broker limit. */
    public Limits withBrokerLimit(Duration newBrokerLimit) {
        return RecordCopy.with(this, "brokerLimit", newBrokerLimit);
    }

    /** The same with another interval at which unchanged progress is committed again. */
    public Limits withCommitRefresh(Duration newCommitRefresh) {
        return RecordCopy.with(this, "commitRefresh", newCommitRefresh);
    }

    /** The same with another time for which authentication and authorisation errors are retried. */
    public Limits withRetryAuthorization(Duration newRetryAuthorization) {
        return RecordCopy.with(this, "retryAuthorization", newRetryAuthorization);
    }
}
