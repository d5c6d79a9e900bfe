package dev.laneway.engine;

import dev.laneway.CommitMode;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/** How progress reaches Kafka. The owner only. */
sealed interface Committer permits AsyncCommitter, SyncCommitter, AheadCommitter {
    /** Commits if it is time to; returns the nanoseconds until it will be. */
    long turn(long nowNanos);

    /**
     * Before records are given to workers.
     *
     * @param positions where each partition of the poll goes on
     * @return false when they must not be processed, because their partitions are being taken away
     */
    boolean beforeDispatch(Map<TopicPartition, OffsetAndMetadata> positions);

    /** Commits what these partitions have done before they are given up, and waits for the answer. */
    void flush(List<Partition> partitions);

    static Committer of(CommitMode mode, Commits commits, long timeoutNanos) {
        return switch (mode) {
            case CommitMode.Async async ->
                new AsyncCommitter(commits, async.interval().toNanos(), timeoutNanos);
            case CommitMode.Sync sync ->
                new SyncCommitter(commits, sync.interval().toNanos());
            case CommitMode.Ahead ahead -> new AheadCommitter(commits);
        };
    }
}
