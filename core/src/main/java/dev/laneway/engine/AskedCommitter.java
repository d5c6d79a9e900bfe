package dev.laneway.engine;

import dev.laneway.BrokerException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A stream's: commits when somebody asks, and then all that is acknowledged. One commit at a time, so that offsets
 * never move back; whoever asks meanwhile is answered by the next one. A commit that fails is made again, with the
 * progress of then. Of partitions that are gone nothing is committed any more, and nobody is told of it. The owner
 * only, but for {@link #ask}.
 */
final class AskedCommitter implements Committer {
    private static final long RETRY_NANOS = 100_000_000;

    private final Commits commits;
    private final Wake wake;
    private final long timeoutNanos;
    /** For those who ask from now on. */
    private final AtomicReference<@Nullable CompletableFuture<@Nullable Void>> asked = new AtomicReference<>();

    private volatile boolean ended;
    private volatile @Nullable BrokerException end;
    /** For those whom the commit that is on its way, or the next try of it, answers. */
    private @Nullable CompletableFuture<@Nullable Void> answer;

    private @Nullable Map<Partition, Progress> sent;
    private long sentNanos;
    private long retryNanos;
    /** Tells an answer from that of a commit that was given up. */
    private int ticket;

    private boolean flushed = true;

    AskedCommitter(Commits commits, Wake wake, long timeoutNanos) {
        this.commits = commits;
        this.wake = wake;
        this.timeoutNanos = timeoutNanos;
    }

    /** Asks for a commit of what is acknowledged by now. Any thread. */
    CompletionStage<@Nullable Void> ask() {
        CompletableFuture<@Nullable Void> mine = null;
        while (mine == null) {
            mine = asked.get();
            if (mine == null) {
                CompletableFuture<@Nullable Void> first = new CompletableFuture<>();
                mine = asked.compareAndSet(null, first) ? first : null;
            }
        }
        wake.signal();
        if (ended) {
            answerLate();
        }
        return mine.minimalCompletionStage();
    }

    @Override
    public long turn(long nowNanos) {
        if (sent != null) {
            if (nowNanos - sentNanos < timeoutNanos) {
                return timeoutNanos - (nowNanos - sentNanos);
            }
            ticket++;
            sent = null;
            commits.failed(new TimeoutException("no answer to a commit"));
            retryNanos = nowNanos;
        } else if (answer == null) {
            retryNanos = nowNanos;
        }
        if (answer == null) {
            answer = asked.getAndSet(null);
        }
        if (answer == null) {
            return Long.MAX_VALUE;
        }
        if (nowNanos - retryNanos < 0) {
            return retryNanos - nowNanos;
        }
        Map<Partition, Progress> news = commits.news(commits.assignment().all());
        if (news.isEmpty()) {
            answered();
            return asked.get() == null ? Long.MAX_VALUE : 0;
        }
        sent = news;
        sentNanos = nowNanos;
        int own = ++ticket;
        commits.sendAsync(news, (offsets, failure) -> answered(own, failure));
        return timeoutNanos;
    }

    private void answered(int answeredTicket, @Nullable Exception failure) {
        Map<Partition, Progress> news = sent;
        if (answeredTicket != ticket || news == null) {
            return;
        }
        sent = null;
        if (failure == null) {
            commits.confirmed(news);
            answered();
        } else {
            commits.failed(failure);
            retryNanos = sentNanos + RETRY_NANOS;
        }
    }

    private void answered() {
        CompletableFuture<@Nullable Void> waiting = answer;
        answer = null;
        if (waiting != null) {
            waiting.complete(null);
        }
    }

    /** Inside a rebalance no turn is taken, and what is in flight may wait for the commit. */
    @Override
    public void waiting() {
        CompletableFuture<@Nullable Void> more = asked.getAndSet(null);
        if (more == null && sent == null) {
            return;
        }
        if (answer == null) {
            answer = more;
        } else if (more != null) {
            var _ = answer.thenAccept(more::complete);
        }
        ticket++;
        sent = null;
        if (commits.sendSync(commits.assignment().all(), true)) {
            answered();
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
        if (!flushed) {
            end = new BrokerException(
                    "the consumer ended before the commit was confirmed; the next owner repeats what is not committed",
                    null);
        }
        ended = true;
        answerLate();
    }

    /** The consumer has ended: its last commit was the last one. */
    private void answerLate() {
        answerAtEnd(asked.getAndSet(null));
        CompletableFuture<@Nullable Void> waiting = answer;
        if (waiting != null) {
            answerAtEnd(waiting);
        }
    }

    private void answerAtEnd(@Nullable CompletableFuture<@Nullable Void> waiting) {
        BrokerException cause = end;
        if (waiting != null && cause == null) {
            waiting.complete(null);
        } else if (waiting != null && cause != null) {
            waiting.completeExceptionally(cause);
        }
    }
}
