package dev.laneway.engine;

import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Commits without waiting, one commit at a time, so that offsets never move back. A commit counts when the broker has
 * answered; one that fails or is not answered in time is made again, with the progress of then, even if nothing new has
 * come. The owner only.
 */
final class AsyncCommitter implements Committer {
    private static final long RETRY_NANOS = 100_000_000;
    private static final Logger log = LoggerFactory.getLogger(AsyncCommitter.class);

    private final CommitSender commits;
    private final long intervalNanos;
    private final long timeoutNanos;
    private boolean started;
    private long dueNanos;
    private @Nullable Map<Partition, Progress> sent;
    private long sentNanos;
    /** Tells an answer from that of a commit that was given up. */
    private int ticket;

    AsyncCommitter(CommitSender commits, long intervalNanos, long timeoutNanos) {
        this.commits = commits;
        this.intervalNanos = intervalNanos;
        this.timeoutNanos = timeoutNanos;
    }

    @Override
    public long turn(long nowNanos) {
        if (!started) {
            started = true;
            dueNanos = nowNanos + intervalNanos;
        }
        if (sent != null) {
            if (nowNanos - sentNanos < timeoutNanos) {
                return Math.min(RETRY_NANOS, timeoutNanos - (nowNanos - sentNanos));
            }
            log.warn("a commit was not answered and is made again");
            ticket++;
            sent = null;
            commits.failed(new org.apache.kafka.common.errors.TimeoutException("no answer to a commit"));
            dueNanos = nowNanos;
        }
        if (nowNanos - dueNanos < 0) {
            return dueNanos - nowNanos;
        }
        dueNanos = nowNanos + intervalNanos;
        Map<Partition, Progress> news = commits.news(commits.assignment().all());
        if (!news.isEmpty()) {
            sent = news;
            sentNanos = nowNanos;
            int own = ++ticket;
            commits.sendAsync(news, () -> own == ticket, this::answered);
            return Math.min(RETRY_NANOS, intervalNanos); // A poll takes the answer, but goes on waiting.
        }
        return intervalNanos;
    }

    private void answered(@Nullable Exception failure) {
        sent = null;
        if (failure != null) {
            commits.failed(failure);
            dueNanos = Math.min(dueNanos, sentNanos + Math.min(intervalNanos, RETRY_NANOS));
        }
    }

    @Override
    public boolean beforeDispatch(Map<TopicPartition, OffsetAndMetadata> positions) {
        return true;
    }

    @Override
    public void flush(List<Partition> partitions) {
        // What is on its way is superseded: the client keeps the order of commits, and this one says at least as much.
        ticket++;
        sent = null;
        commits.sendSync(partitions, true);
    }
}
