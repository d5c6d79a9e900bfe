package dev.laneway.engine.commit;

import dev.laneway.CommitMode;
import dev.laneway.engine.track.Partition;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** How progress reaches Kafka. The owner only. */
public sealed interface Committer
        permits AsyncCommitter,
                SyncCommitter,
                AtMostOnceCommitter,
                TransactionalCommitter,
                OnDemandCommitter,
                NoCommitter {
    /** Makes what it needs beside the consumer, so that a wrong configuration fails at start. */
    default void make() {}

    /**
     * Before the first partition is assigned; may wait for the broker. False when the consumer is to be closed first.
     */
    default boolean open() {
        return true;
    }

    /** Commits if it is time to; returns the nanoseconds until it will be. */
    long turn(long nowNanos);

    /** Again and again while a rebalance waits for what is in flight, when no turns are taken. */
    default void waiting() {}

    /**
     * Before records are given to workers.
     *
     * @param positions where each partition of the poll goes on
     * @return false when they must not be processed, because their partitions are being taken away
     */
    default boolean beforeDispatch(Map<TopicPartition, OffsetAndMetadata> positions) {
        return true;
    }

    /** Whether what records emit waits for it. */
    default boolean hasOutputs() {
        return false;
    }

    /** What waits to be written leaves no room for further records: it is written before its interval is over. */
    default void hurry() {}

    /** Whether the records of one poll are done before the next one is dispatched. */
    default boolean holdsOnePoll() {
        return false;
    }

    /** Commits what these partitions have done before they are given up, and waits for the answer. */
    void flush(List<Partition> partitions);

    /** Asks for a commit of what is acknowledged by now, without waiting for its time. Any thread. */
    default CompletionStage<@Nullable Void> ask() {
        return CompletableFuture.completedStage(null);
    }

    /** The topics of what is being committed and waits for them to exist. Any thread. */
    default Set<String> topics() {
        return Set.of();
    }

    /** These topics, and no others that are read, do not exist: nothing of them can be committed. Any thread. */
    default void missing(Set<String> topics) {}

    /** After the last commit; ends what the committer has opened. */
    default void close(Duration limit) {}

    /**
     * The committer of a mode.
     *
     * @param transactional makes that of {@link CommitMode.ExactlyOnce}, which needs more than the others
     */
    static Committer of(
            CommitMode mode,
            CommitSender commits,
            long timeoutNanos,
            Function<CommitMode.ExactlyOnce, Committer> transactional) {
        return switch (mode) {
            case CommitMode.Async async ->
                new AsyncCommitter(commits, async.interval().toNanos(), timeoutNanos);
            case CommitMode.Sync sync ->
                new SyncCommitter(commits, sync.interval().toNanos());
            case CommitMode.Ahead ahead -> new AtMostOnceCommitter(commits);
            case CommitMode.ExactlyOnce exactlyOnce -> transactional.apply(exactlyOnce);
        };
    }
}
