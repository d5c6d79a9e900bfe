package dev.laneway;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The options of a consumer, without its handler, its Kafka configuration and its subscription. Immutable.
 * {@link LanewayBuilder} has a method for each; docs/configuration.md explains the defaults.
 *
 * @param name the name in threads, logs and headers; "laneway"
 * @param ordering which records may overlap; {@link Ordering#KEY}
 * @param concurrency how many handlers run at once, all members together; 256
 * @param consumers members of the group in this process, one owner thread each; 1
 * @param bufferRecords the most records that a member holds; 0, the default, sizes it from the concurrency: 20,000 at
 *     first, and up to 32 a worker if workers would be idle without more
 * @param bufferBytes the most bytes of keys and values that a member holds; 64 MiB
 * @param attemptLimit how long an attempt may take before it is interrupted and counts as failed; null, the default: no
 *     limit
 * @param failurePolicy what happens to failed records; {@link FailurePolicy#DEFAULT}
 * @param commit how progress is committed; {@link CommitMode#DEFAULT}
 * @param commitRefresh how often unchanged progress is committed again, so that brokers do not forget it; far below
 *     their {@code offsets.retention.minutes}; 10 min
 * @param drainLimit how long a rebalance waits for the handlers of a revoked partition; null, the default: 10 s or a
 *     third of {@code max.poll.interval.ms}, whichever is shorter
 * @param closeLimit how long {@code close} waits for handlers before it interrupts them; 30 s
 * @param stallLimit after which age an unfinished record makes the health DOWN; 5 min
 * @param healthLimit how soon {@code health()} names what keeps records from flowing; 10 s
 * @param startCheck what happens if brokers, topics or dead-letter topics are missing at start; {@link StartCheck#WAIT}
 * @param brokerLimit how long the consumer waits for a broker that does not answer, where it has to wait; 1 min
 * @param retryAuthorization how long authentication and authorisation errors are retried before they stop the consumer;
 *     zero, the default: at once
 * @param workers where handlers run; {@link Workers#virtual()}
 * @param nullKeys the order of records without a key; {@link NullKeys#ORDERED}
 * @param metadata what is done with commit metadata of other programs; {@link MetadataPolicy#READ}
 * @param startPosition where partitions without a committed offset start; {@link StartPosition#committed()}
 * @param closeOnShutdown whether the end of the process (SIGTERM, SIGINT, exit) closes the consumer; true
 */
public record Options(
        String name,
        Ordering ordering,
        int concurrency,
        int consumers,
        int bufferRecords,
        long bufferBytes,
        @Nullable Duration attemptLimit,
        FailurePolicy failurePolicy,
        CommitMode commit,
        Duration commitRefresh,
        @Nullable Duration drainLimit,
        Duration closeLimit,
        Duration stallLimit,
        Duration healthLimit,
        StartCheck startCheck,
        Duration brokerLimit,
        Duration retryAuthorization,
        Workers workers,
        NullKeys nullKeys,
        MetadataPolicy metadata,
        StartPosition startPosition,
        boolean closeOnShutdown) {

    /** The defaults. */
    public static final Options DEFAULTS = new Options(
            "laneway",
            Ordering.KEY,
            256,
            1,
            0,
            64L << 20,
            null,
            FailurePolicy.DEFAULT,
            CommitMode.DEFAULT,
            Duration.ofMinutes(10),
            null,
            Duration.ofSeconds(30),
            Duration.ofMinutes(5),
            Duration.ofSeconds(10),
            StartCheck.WAIT,
            Duration.ofMinutes(1),
            Duration.ZERO,
            Workers.virtual(),
            NullKeys.ORDERED,
            MetadataPolicy.READ,
            StartPosition.committed(),
            true);

    private static final int LEAST_BUFFER_RECORDS = 20_000;
    private static final int BUFFER_RECORDS_PER_WORKER = 32;

    /**
     * Checks each value by itself.
     *
     * @throws ConfigurationException if a value is not allowed
     */
    public Options {
        if (name.isBlank()) {
            throw new ConfigurationException("name", "blank", "must not be", "give a short name for threads and logs");
        }
        Checks.atLeast("concurrency", concurrency, 1);
        Checks.atLeast("consumers", consumers, 1);
        if (consumers > concurrency) {
            throw new ConfigurationException(
                    "consumers",
                    consumers,
                    "must not exceed concurrency, " + concurrency,
                    "each member needs a worker");
        }
        if (bufferRecords < 0) {
            throw new ConfigurationException(
                    "bufferRecords", bufferRecords, "must not be negative", "0 sizes it from the concurrency");
        }
        Checks.atLeast("bufferBytes", bufferBytes, 1);
        if (attemptLimit != null) {
            Checks.positive("attemptLimit", attemptLimit);
        }
        if (drainLimit != null && drainLimit.isNegative()) {
            throw new ConfigurationException(
                    "drainLimit", drainLimit, "must not be negative", "zero waits for nothing");
        }
        if (closeLimit.isNegative()) {
            throw new ConfigurationException(
                    "closeLimit", closeLimit, "must not be negative", "zero waits for nothing");
        }
        Checks.notTooLong("attemptLimit", attemptLimit);
        Checks.notTooLong("drainLimit", drainLimit);
        Checks.notTooLong("closeLimit", closeLimit);
        Checks.notTooLong("stallLimit", stallLimit);
        Checks.notTooLong("healthLimit", healthLimit);
        Checks.notTooLong("brokerLimit", brokerLimit);
        Checks.notTooLong("retryAuthorization", retryAuthorization);
        Checks.notTooLong("commitRefresh", commitRefresh);
        Checks.positive("commitRefresh", commitRefresh);
        Checks.positive("stallLimit", stallLimit);
        Checks.positive("healthLimit", healthLimit);
        Checks.positive("brokerLimit", brokerLimit);
        if (retryAuthorization.isNegative()) {
            throw new ConfigurationException(
                    "retryAuthorization", retryAuthorization, "must not be negative", "zero stops at once");
        }
    }

    /** The budget of records per member at the start; at most {@link #bufferRecordsOrSized()}. */
    public int bufferRecordsAtFirst() {
        return bufferRecords > 0 ? bufferRecords : LEAST_BUFFER_RECORDS;
    }

    /** The largest budget of records per member, sized from the concurrency if {@code bufferRecords} is 0. */
    public int bufferRecordsOrSized() {
        if (bufferRecords > 0) {
            return bufferRecords;
        }
        int perMember = (concurrency + consumers - 1) / consumers;
        return (int) Math.min(2_000_000, Math.max(LEAST_BUFFER_RECORDS, (long) BUFFER_RECORDS_PER_WORKER * perMember));
    }
}
