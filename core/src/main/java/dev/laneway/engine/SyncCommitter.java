package dev.laneway.engine;

import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/** Commits at most once per interval and waits for the answer. The owner only. */
final class SyncCommitter implements Committer {
    private final Commits commits;
    private final long intervalNanos;
    private boolean started;
    private long dueNanos;

    SyncCommitter(Commits commits, long intervalNanos) {
        this.commits = commits;
        this.intervalNanos = intervalNanos;
    }

    @Override
    public long turn(long nowNanos) {
        if (!started) {
            started = true;
            dueNanos = nowNanos + intervalNanos;
        }
        if (nowNanos - dueNanos >= 0) {
            dueNanos = nowNanos + intervalNanos;
            commits.sendSync(commits.assignment().all(), false);
        }
        return dueNanos - nowNanos;
    }

    @Override
    public boolean beforeDispatch(Map<TopicPartition, OffsetAndMetadata> positions) {
        return true;
    }

    @Override
    public void flush(List<Partition> partitions) {
        commits.sendSync(partitions, true);
    }
}
