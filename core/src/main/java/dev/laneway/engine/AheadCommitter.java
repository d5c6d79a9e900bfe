package dev.laneway.engine;

import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/**
 * At-most-once: commits what a poll returned before any of it is processed. The next poll waits until all of it is done
 * ({@link Parts} gives flow control a budget of one poll), so a crash loses at most one poll. A partition that is given
 * up in peace commits how far it really got: what was never started is not lost. The owner only.
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
        if (!commits.commitSync(positions, false)) {
            return false;
        }
        positions.forEach((id, position) -> {
            Partition partition = commits.assignment().get(id);
            if (partition != null) {
                // Else the last commit would have nothing new to say where nothing of the poll was begun.
                partition.committed = new Progress(position.offset(), position.metadata());
            }
        });
        return true;
    }

    @Override
    public void flush(List<Partition> partitions) {
        List<Partition> atRest = partitions.stream()
                .filter(partition -> partition.held.busy() == 0)
                .toList();
        commits.sendSync(atRest, true);
    }
}
