package dev.laneway;

import dev.laneway.engine.config.RecordCopy;
import java.time.Duration;
import java.util.List;
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
 * @param limits the limits of time that streams have, too; {@link Limits#DEFAULTS}
 * @param startCheck what happens if brokers, topics or dead-letter topics are missing at start; {@link StartCheck#WAIT}
 * @param workers where handlers run; {@link Workers#virtual()}
 * @param nullKeys the order of records without a key; {@link NullKeys#ORDERED}
 * @param laneKey what {@link Ordering#KEY} takes in place of the record's key; null, the default: the key itself
 * @param notBefore when a record may be handled at the earliest; null, the default: at once
 * @param metadata what is done with commit metadata of other programs; {@link MetadataPolicy#READ}
 * @param whenMapIsFull what happens when a commit's metadata has no room for more of what is done beyond an unfinished
 *     record; {@link WhenMapIsFull#STOP_INTAKE}
 * @param startPosition where partitions without a committed offset start; {@link StartPosition#committed()}
 * @param observers who hears what the consumer does, for metrics, traces and logs; nobody
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
        Limits limits,
        StartCheck startCheck,
        Workers workers,
        NullKeys nullKeys,
        @Nullable LaneKey laneKey,
        @Nullable NotBefore notBefore,
        MetadataPolicy metadata,
        WhenMapIsFull whenMapIsFull,
        StartPosition startPosition,
        List<LanewayObserver.Factory> observers,
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
            Limits.DEFAULTS,
            StartCheck.WAIT,
            Workers.virtual(),
            NullKeys.ORDERED,
            null,
            null,
            MetadataPolicy.READ,
            WhenMapIsFull.STOP_INTAKE,
            StartPosition.committed(),
            List.of(),
            true);

    private static final int LEAST_BUFFER_RECORDS = 20_000;
    private static final int BUFFER_RECORDS_PER_WORKER = 32;

    /**
     * Checks each value by itself; combinations are checked at start, so the order of withers does not matter.
     *
     * @throws ConfigurationException if a value is not allowed
     */
    public Options {
        Checks.given("name", name);
        if (name.isBlank()) {
            throw new ConfigurationException("name", "blank", "must not be", "give a short name for threads and logs");
        }
        Checks.given("ordering", ordering);
        Checks.atLeast("concurrency", concurrency, 1);
        Checks.atLeast("consumers", consumers, 1);
        if (bufferRecords < 0) {
            throw new ConfigurationException(
                    "bufferRecords", bufferRecords, "must not be negative", "0 sizes it from the concurrency");
        }
        Checks.atLeast("bufferBytes", bufferBytes, 1);
        if (attemptLimit != null) {
            Checks.positive("attemptLimit", attemptLimit);
        }
        Checks.given("failurePolicy", failurePolicy);
        Checks.given("commit", commit);
        Checks.given("limits", limits);
        Checks.given("startCheck", startCheck);
        Checks.given("workers", workers);
        Checks.given("nullKeys", nullKeys);
        Checks.given("metadata", metadata);
        Checks.given("whenMapIsFull", whenMapIsFull);
        Checks.given("startPosition", startPosition);
        Checks.given("observers", observers);
        observers = List.copyOf(observers);
    }

    /** The same with another name. */
    public Options withName(String newName) {
        return RecordCopy.with(this, "name", newName);
    }

    /** The same with another ordering. */
    public Options withOrdering(Ordering newOrdering) {
        return RecordCopy.with(this, "ordering", newOrdering);
    }

    /** The same with another concurrency. */
    public Options withConcurrency(int newConcurrency) {
        return RecordCopy.with(this, "concurrency", newConcurrency);
    }

    /** The same with another number of members. */
    public Options withConsumers(int newConsumers) {
        return RecordCopy.with(this, "consumers", newConsumers);
    }

    /** The same with another budget of records; 0 sizes it from the concurrency. */
    public Options withBufferRecords(int newBufferRecords) {
        return RecordCopy.with(this, "bufferRecords", newBufferRecords);
    }

    /** The same with another budget of bytes. */
    public Options withBufferBytes(long newBufferBytes) {
        return RecordCopy.with(this, "bufferBytes", newBufferBytes);
    }

    /** The same with another attempt limit; null for none. */
    public Options withAttemptLimit(@Nullable Duration newAttemptLimit) {
        return RecordCopy.with(this, "attemptLimit", newAttemptLimit);
    }

    /** The same with another failure policy. */
    public Options withFailurePolicy(FailurePolicy newFailurePolicy) {
        return RecordCopy.with(this, "failurePolicy", newFailurePolicy);
    }

    /** The same with another commit mode. */
    public Options withCommit(CommitMode newCommit) {
        return RecordCopy.with(this, "commit", newCommit);
    }

    /** The same with other limits. */
    public Options withLimits(Limits newLimits) {
        return RecordCopy.with(this, "limits", newLimits);
    }

    /** The same with another check of brokers and topics at start. */
    public Options withStartCheck(StartCheck newStartCheck) {
        return RecordCopy.with(this, "startCheck", newStartCheck);
    }

    /** The same with other workers. */
    public Options withWorkers(Workers newWorkers) {
        return RecordCopy.with(this, "workers", newWorkers);
    }

    /** The same with another order of records without a key. */
    public Options withNullKeys(NullKeys newNullKeys) {
        return RecordCopy.with(this, "nullKeys", newNullKeys);
    }

    /** The same with another lane key; null for the record's own key. */
    public Options withLaneKey(@Nullable LaneKey newLaneKey) {
        return RecordCopy.with(this, "laneKey", newLaneKey);
    }

    /** The same with another time before which records are not handled; null for at once. */
    public Options withNotBefore(@Nullable NotBefore newNotBefore) {
        return RecordCopy.with(this, "notBefore", newNotBefore);
    }

    /** The same with another policy for commit metadata of other programs. */
    public Options withMetadata(MetadataPolicy newMetadata) {
        return RecordCopy.with(this, "metadata", newMetadata);
    }

    /** The same with another policy for commit metadata without room. */
    public Options withWhenMapIsFull(WhenMapIsFull newWhenMapIsFull) {
        return RecordCopy.with(this, "whenMapIsFull", newWhenMapIsFull);
    }

    /** The same with another start of partitions without a committed offset. */
    public Options withStartPosition(StartPosition newStartPosition) {
        return RecordCopy.with(this, "startPosition", newStartPosition);
    }

    /** The same with other observers. */
    public Options withObservers(List<LanewayObserver.Factory> newObservers) {
        return RecordCopy.with(this, "observers", newObservers);
    }

    /** The same; whether the end of the process closes the consumer. */
    public Options withCloseOnShutdown(boolean newCloseOnShutdown) {
        return RecordCopy.with(this, "closeOnShutdown", newCloseOnShutdown);
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
