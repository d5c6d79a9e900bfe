package dev.laneway.engine.runtime;

import dev.laneway.Counters;
import java.util.concurrent.atomic.LongAdder;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * What happened, counted by whoever sees it. Workers add once per run of the hot path, not once per record.
 * Thread-safe.
 */
public final class EventCounts {
    public final LongAdder processed = new LongAdder();
    public final LongAdder failedAttempts = new LongAdder();
    public final LongAdder retries = new LongAdder();
    public final LongAdder skipped = new LongAdder();
    public final LongAdder deadLettered = new LongAdder();
    public final LongAdder emitted = new LongAdder();
    public final LongAdder late = new LongAdder();
    public final LongAdder dropped = new LongAdder();
    public final LongAdder commits = new LongAdder();
    public final LongAdder failedCommits = new LongAdder();
    public final LongAdder archived = new LongAdder();
    public final LongAdder lost = new LongAdder();
    public final LongAdder rebalances = new LongAdder();
    /** The latest attempt that failed, in words that are made when they are wanted; null before the first. */
    public volatile @Nullable FailedAttempt latestFailure;

    public final LongAdder workersStarted = new LongAdder();

    /** A failed attempt at a record. Immutable. */
    public record FailedAttempt(TopicPartition partition, long offset, Throwable cause) {
        private static final int MOST_CHARS = 300;

        @Override
        public String toString() {
            String why = cause.toString();
            return "record " + partition + "@" + offset + ": "
                    + (why.length() <= MOST_CHARS ? why : why.substring(0, MOST_CHARS) + "...");
        }
    }

    /** An attempt at a record failed. */
    public void failed(ConsumerRecord<?, ?> record, Throwable cause) {
        failedAttempts.increment();
        latestFailure =
                new FailedAttempt(new TopicPartition(record.topic(), record.partition()), record.offset(), cause);
    }

    public Counters read() {
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
                lost.sum(),
                rebalances.sum(),
                workersStarted.sum());
    }
}
