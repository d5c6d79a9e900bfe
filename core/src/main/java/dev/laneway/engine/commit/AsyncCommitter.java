package dev.laneway.engine.commit;

import dev.laneway.engine.offsets.Progress;
import dev.laneway.engine.track.Partition;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Commits without waiting, one commit at a time. A commit counts when the broker has answered; one that fails or is not
 * answered in time is made again, with the progress of then, even if nothing new has come. The owner only.
 */
public final class AsyncCommitter implements Committer {
    private final CommitSender commits;
    private final CommitInFlight inFlight;
    private final long intervalNanos;
    private boolean started;
    private long dueNanos;

    AsyncCommitter(CommitSender commits, long intervalNanos, long timeoutNanos) {
        this.commits = commits;
        this.inFlight = new CommitInFlight(commits, timeoutNanos);
        this.intervalNanos = intervalNanos;
    }

    @Override
    public long turn(long nowNanos) {
        if (!started) {
            started = true;
            dueNanos = nowNanos + intervalNanos;
        }
        if (inFlight.isUnanswered()) {
            long left = inFlight.untilOverdue(nowNanos);
            if (left > 0) {
                return Math.min(CommitInFlight.RETRY_NANOS, left);
            }
            inFlight.giveUp();
            dueNanos = nowNanos;
        }
        if (nowNanos - dueNanos < 0) {
            return dueNanos - nowNanos;
        }
        dueNanos = nowNanos + intervalNanos;
        Map<Partition, Progress> news = commits.news(commits.assignment().all());
        if (!news.isEmpty()) {
            inFlight.send(news, nowNanos, this::answered);
            return untilRetry(); // A poll takes the answer, but goes on waiting.
        }
        return intervalNanos;
    }

    private void answered(@Nullable Exception failure) {
        if (failure != null) {
            dueNanos = Math.min(dueNanos, inFlight.sentNanos() + untilRetry());
        }
    }

    private long untilRetry() {
        return Math.min(intervalNanos, CommitInFlight.RETRY_NANOS);
    }

    @Override
    public void flush(List<Partition> partitions) {
        var _ = inFlight.flush(partitions);
    }
}
