package dev.laneway.engine;

import dev.laneway.BrokerException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A stream's: commits all that is acknowledged when somebody asks, and when nobody has for an interval; also what it
 * has committed long ago, see {@link CommitRefresh}. One commit at a time, so that offsets never move back; whoever
 * asks meanwhile is answered by the next one. A commit that fails is made again, with the progress of then. Of
 * partitions that are gone nothing is committed any more, and nobody is told of it. The owner only, but for
 * {@link #ask}.
 */
final class OnDemandCommitter implements Committer {
    private static final long RETRY_NANOS = 100_000_000;
    private static final long NEVER = Long.MAX_VALUE;

    private final CommitSender commits;
    private final long timeoutNanos;
    private final long intervalNanos;
    private final CommitRequests asked;
    private boolean started;
    /** When a commit is due though nobody asks. */
    private long dueNanos;

    private @Nullable Map<Partition, Progress> sent;
    private long sentNanos;
    private long retryNanos;
    /** Tells an answer from that of a commit that was given up. */
    private int ticket;

    private boolean flushed = true;

    /** @param interval after which a commit is made though nobody has asked; null: never */
    OnDemandCommitter(CommitSender commits, WakeSignal wake, long timeoutNanos, @Nullable Duration interval) {
        this.commits = commits;
        this.timeoutNanos = timeoutNanos;
        this.intervalNanos = interval == null ? NEVER : interval.toNanos();
        this.asked = new CommitRequests(wake);
    }

    @Override
    public CompletionStage<@Nullable Void> ask() {
        return asked.ask();
    }

    @Override
    public long turn(long nowNanos) {
        if (!started) {
            started = true;
            dueNanos = nowNanos + intervalNanos;
        }
        if (sent != null) {
            if (nowNanos - sentNanos < timeoutNanos) {
                return timeoutNanos - (nowNanos - sentNanos);
            }
            ticket++;
            sent = null;
            commits.failed(new TimeoutException("no answer to a commit"));
            retryNanos = nowNanos;
            dueNanos = nowNanos;
        } else if (!asked.isOpen()) {
            retryNanos = nowNanos;
        }
        asked.take();
        if (!asked.isOpen() && untilDue(nowNanos) > 0) {
            send(commits.due(), nowNanos);
            return sent == null ? untilDue(nowNanos) : timeoutNanos;
        }
        if (nowNanos - retryNanos < 0) {
            return retryNanos - nowNanos;
        }
        dueNanos = nowNanos + intervalNanos;
        Map<Partition, Progress> news = commits.news(commits.assignment().all());
        if (news.isEmpty()) {
            asked.answered();
            return asked.hasMore() ? 0 : untilDue(nowNanos);
        }
        send(news, nowNanos);
        return timeoutNanos;
    }

    private void send(Map<Partition, Progress> news, long nowNanos) {
        if (!news.isEmpty()) {
            sent = news;
            sentNanos = nowNanos;
            int own = ++ticket;
            commits.sendAsync(news, () -> own == ticket, this::answered);
        }
    }

    private long untilDue(long nowNanos) {
        return intervalNanos == NEVER ? NEVER : dueNanos - nowNanos;
    }

    private void answered(@Nullable Exception failure) {
        sent = null;
        if (failure == null) {
            asked.answered();
        } else {
            commits.failed(failure);
            retryNanos = sentNanos + RETRY_NANOS;
            dueNanos = Math.min(dueNanos, retryNanos);
        }
    }

    /** Inside a rebalance no turn is taken, and what is in flight may wait for the commit. */
    @Override
    public void waiting() {
        if (!asked.hasMore() && sent == null) {
            return;
        }
        asked.takeAll();
        ticket++;
        sent = null;
        if (commits.sendSync(commits.assignment().all(), true)) {
            asked.answered();
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
        flushed = commits.sendSync(partitions, true);
    }

    @Override
    public void close(Duration limit) {
        asked.end(
                flushed
                        ? null
                        : new BrokerException(
                                "the consumer ended before the commit was confirmed; the next owner repeats what is not"
                                        + " committed",
                                null));
    }
}
