package dev.laneway;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The options while they are being set. {@link Options} checks them as a whole, so the order of the calls does not
 * matter. Not thread-safe.
 */
final class OptionsDraft {
    String name;
    Ordering ordering;
    int concurrency;
    int consumers;
    int bufferRecords;
    long bufferBytes;

    @Nullable
    Duration attemptLimit;

    FailurePolicy failurePolicy;
    CommitMode commit;
    Duration commitRefresh;

    @Nullable
    Duration drainLimit;

    Duration closeLimit;
    Duration stallLimit;
    Duration healthLimit;
    StartCheck startCheck;
    Duration brokerLimit;
    Duration retryAuthorization;
    Workers workers;
    NullKeys nullKeys;
    MetadataPolicy metadata;
    StartPosition startPosition;
    boolean closeOnShutdown;

    OptionsDraft(Options from) {
        name = from.name();
        ordering = from.ordering();
        concurrency = from.concurrency();
        consumers = from.consumers();
        bufferRecords = from.bufferRecords();
        bufferBytes = from.bufferBytes();
        attemptLimit = from.attemptLimit();
        failurePolicy = from.failurePolicy();
        commit = from.commit();
        commitRefresh = from.commitRefresh();
        drainLimit = from.drainLimit();
        closeLimit = from.closeLimit();
        stallLimit = from.stallLimit();
        healthLimit = from.healthLimit();
        startCheck = from.startCheck();
        brokerLimit = from.brokerLimit();
        retryAuthorization = from.retryAuthorization();
        workers = from.workers();
        nullKeys = from.nullKeys();
        metadata = from.metadata();
        startPosition = from.startPosition();
        closeOnShutdown = from.closeOnShutdown();
    }

    /**
     * The options as they are now.
     *
     * @throws ConfigurationException if a value is not allowed
     */
    Options toOptions() {
        return new Options(
                name,
                ordering,
                concurrency,
                consumers,
                bufferRecords,
                bufferBytes,
                attemptLimit,
                failurePolicy,
                commit,
                commitRefresh,
                drainLimit,
                closeLimit,
                stallLimit,
                healthLimit,
                startCheck,
                brokerLimit,
                retryAuthorization,
                workers,
                nullKeys,
                metadata,
                startPosition,
                closeOnShutdown);
    }
}
