package dev.laneway.engine.runtime;

import dev.laneway.Counters;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongConsumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * What happened, counted by whoever sees it, and told to the user's observers. Workers add once per run of the hot
 * path, not once per record. What is seen under a guard is only counted there; the owner tells of it later.
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
    public final LongAdder spilled = new LongAdder();
    public final LongAdder refilled = new LongAdder();
    public final LongAdder rebalances = new LongAdder();
    /** The latest attempt that failed, in words that are made when they are wanted; null before the first. */
    public volatile @Nullable FailedAttempt latestFailure;

    public final LongAdder workersStarted = new LongAdder();

    /** Null where nobody listens. */
    public final @Nullable ObserverCalls observers;

    // What the owner has told of the counters.
    private long toldLate;
    private long toldSpilled;
    private long toldRefilled;

    /** Tells nobody. */
    public EventCounts() {
        this(null);
    }

    public EventCounts(@Nullable ObserverCalls observers) {
        this.observers = observers;
    }

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

    /** Records were fetched. The owner only. */
    public void fetched(TopicPartition partition, List<? extends ConsumerRecord<?, ?>> records) {
        if (observers != null) {
            observers.fetched(partition, records);
        }
    }

    /** An attempt at a record failed. */
    public void failed(ConsumerRecord<byte[], byte[]> record, int attempt, Throwable cause) {
        failedAttempts.increment();
        latestFailure =
                new FailedAttempt(new TopicPartition(record.topic(), record.partition()), record.offset(), cause);
        if (observers != null) {
            observers.attemptFailed(record, attempt, cause);
        }
    }

    /** A record will be tried again. */
    public void retried(ConsumerRecord<byte[], byte[]> record, int attempt, Duration delay, @Nullable Throwable cause) {
        retries.increment();
        if (observers != null) {
            observers.retryScheduled(record, attempt, delay, cause);
        }
    }

    /** A record was given up, and counts as done. */
    public void skipped(TopicPartition partition, long offset, @Nullable Throwable cause) {
        skipped.increment();
        if (observers != null) {
            observers.skipped(partition, offset, cause);
        }
    }

    /** A dead letter was acknowledged. */
    public void deadLettered(TopicPartition partition, long offset, String topic) {
        deadLettered.increment();
        if (observers != null) {
            observers.deadLettered(partition, offset, topic);
        }
    }

    /** A partition was given up with so many records in flight. The owner only. */
    public void dropped(TopicPartition partition, int records) {
        dropped.add(records);
        if (observers != null && records > 0) {
            observers.dropped(partition, records);
        }
    }

    /** Tells observers what was counted under guards since the last time. The owner only. */
    public void tellCounted() {
        if (observers != null) {
            toldLate = told(late, toldLate, observers::late);
            toldSpilled = told(spilled, toldSpilled, observers::spilled);
            toldRefilled = told(refilled, toldRefilled, observers::refilled);
        }
    }

    private static long told(LongAdder counted, long before, LongConsumer telling) {
        long now = counted.sum();
        if (now != before) {
            telling.accept(now - before);
        }
        return now;
    }

    /** The callback of a commit, which observers are told of, too. The owner only. */
    public OffsetCommitCallback telling(Map<TopicPartition, OffsetAndMetadata> sent, OffsetCommitCallback callback) {
        return observers == null ? callback : observers.telling(sent, callback);
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
                spilled.sum(),
                refilled.sum(),
                rebalances.sum(),
                workersStarted.sum());
    }
}
