package dev.laneway.engine;

import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/**
 * At-most-once: commits what a poll returned before any of it is processed, and never what was processed. The owner
 * only.
 */
final class AheadCommitter implements Committer {
    private final Commits commits;

    AheadCommitter(Commits commits) {
        this.commits = commits;
    }

    @Override
    public long turn(long nowNanos) {
        return Long.MAX_VALUE;
    }

    @Override
    public boolean beforeDispatch(Map<TopicPartition, OffsetAndMetadata> positions) {
        return commits.commitSync(positions, false);
    }

    @Override
    public void flush(List<Partition> partitions) {
        // Everything that was dispatched has been committed before.
    }
}
