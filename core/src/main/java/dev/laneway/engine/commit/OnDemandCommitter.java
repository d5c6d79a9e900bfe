package dev.laneway.engine.commit;

import dev.laneway.BrokerException;
import dev.laneway.engine.offsets.Progress;
import dev.laneway.engine.runtime.WakeSignal;
import dev.laneway.engine.track.Partition;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A stream's: commits all that is acknowledged when somebody asks, and when nobody has for an interval; also what it
 * has committed long ago, see {@link CommitRefresh}. One commit at a time, so that offsets never move back; whoever
 * asks meanwhile is answered by the next one. A commit that fails is made again, with the progress of then. Of
 * partitions that are gone nothing is committed any more, and nobody is told of it. The owner only, but for
 * {@link #ask}.
 */
public final class OnDemandCommitter implements Committer {
    private static final long NEVER = Long.MAX_VALUE;

    private final CommitSender commits;
    private final CommitInFlight inFlight;
    private final long timeoutNanos;
    private final long intervalNanos;
    private final CommitRequests asked;
    private boolean started;
    /** When a commit is due though nobody asks. */
    private long dueNanos;

    private long retryNanos;
    private boolean flushed = true;

    /** @param interval after which a commit is made though nobody has asked; null: never */
    public OnDemandCommitter(CommitSender commits, WakeSignal wake, long timeoutNanos, @Nullable Duration interval) {
        this.commits = commits;
        this.inFlight = new CommitInFlight(commits, timeoutNanos);
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
        if (inFlight.isUnanswered()) {
            long left = inFlight.untilOverdue(nowNanos);
            if (left > 0) {
                return left;
            }
            inFlight.giveUp();
            retryNanos = nowNanos;
            dueNanos = nowNanos;
        } else if (!asked.isOpen()) {
            retryNanos = nowNanos;
        }
        asked.take();
        if (!asked.isOpen() && untilDue(nowNanos) > 0) {
            Map<Partition, Progress> old = commits.due();
            return old.isEmpty() ? untilDue(nowNanos) : send(old, nowNanos);
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
        return send(news, nowNanos);
    }

    private long send(Map<Partition, Progress> news, long nowNanos) {
        inFlight.send(news, nowNanos, this::answered);
        return timeoutNanos;
    }

    private long untilDue(long nowNanos) {
        return intervalNanos == NEVER ? NEVER : dueNanos - nowNanos;
    }

    private void answered(@Nullable Exception failure) {
        if (failure == null) {
            asked.answered();
        } else {
            retryNanos = inFlight.sentNanos() + CommitInFlight.RETRY_NANOS;
            dueNanos = Math.min(dueNanos, retryNanos);
        }
    }

    /** Inside a rebalance no turn is taken, and what is in flight may wait for the commit. */
    @Override
    public void waiting() {
        if (!asked.hasMore() && !inFlight.isUnanswered()) {
            return;
        }
        asked.takeAll();
        if (inFlight.flush(commits.assignment().all())) {
            asked.answered();
        }
    }

    @Override
    public void flush(List<Partition> partitions) {
        flushed = inFlight.flush(partitions);
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
