package dev.laneway.engine.commit;

import dev.laneway.engine.track.Partition;
import java.util.List;

/** Commits at most once per interval and waits for the answer. The owner only. */
public final class SyncCommitter implements Committer {
    private static final long RETRY_NANOS = 100_000_000;

    private final CommitSender commits;
    private final long intervalNanos;
    private boolean started;
    private long dueNanos;

    public SyncCommitter(CommitSender commits, long intervalNanos) {
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
            boolean stored = commits.sendSync(commits.assignment().all(), false);
            boolean soon = !stored && commits.isToBeMadeAgain();
            dueNanos = nowNanos + (soon ? Math.min(intervalNanos, RETRY_NANOS) : intervalNanos);
        }
        return dueNanos - nowNanos;
    }

    @Override
    public void flush(List<Partition> partitions) {
        commits.sendSync(partitions, true);
    }
}
