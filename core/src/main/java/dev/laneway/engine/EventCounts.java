package dev.laneway.engine;

import dev.laneway.Counters;
import java.util.concurrent.atomic.LongAdder;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * What happened, counted by whoever sees it. Workers add once per run of the hot path, not once per record.
 * Thread-safe.
 */
final class EventCounts {
    final LongAdder processed = new LongAdder();
    final LongAdder failedAttempts = new LongAdder();
    final LongAdder retries = new LongAdder();
    final LongAdder skipped = new LongAdder();
    final LongAdder deadLettered = new LongAdder();
    final LongAdder emitted = new LongAdder();
    final LongAdder late = new LongAdder();
    final LongAdder dropped = new LongAdder();
    final LongAdder commits = new LongAdder();
    final LongAdder failedCommits = new LongAdder();
    final LongAdder archived = new LongAdder();
    final LongAdder rebalances = new LongAdder();
    /** The latest attempt that failed, in words that are made when they are wanted; null before the first. */
    volatile @Nullable FailedAttempt latestFailure;

    final LongAdder workersStarted = new LongAdder();

    /** A failed attempt at a record. Immutable. */
    record FailedAttempt(TopicPartition partition, long offset, Throwable cause) {
        private static final int MOST_CHARS = 300;

        @Override
        public String toString() {
            String why = cause.toString();
            return "record " + partition + "@" + offset + ": "
                    + (why.length() <= MOST_CHARS ? why : why.substring(0, MOST_CHARS) + "...");
        }
    }

    /** An attempt at a record failed. */
    void failed(ConsumerRecord<?, ?> record, Throwable cause) {
        failedAttempts.increment();
        latestFailure =
                new FailedAttempt(new TopicPartition(record.topic(), record.partition()), record.offset(), cause);
    }

    Counters read() {
        return new Counters(
                processed.sum(),
                failedAttempts.sum(),
                retries.sum(),
                skipped.sum(),
                deadLettered.sum(),
                emitted.sum(),
                late.sum(),
                dropped.sum(),
                commits.sum(),
                failedCommits.sum(),
                archived.sum(),
                rebalances.sum(),
                workersStarted.sum());
    }
}
