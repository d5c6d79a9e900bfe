package dev.laneway.engine.commit;

import dev.laneway.engine.offsets.Progress;
import dev.laneway.engine.track.Partition;
import java.util.Collection;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one commit that is on its way: the next is sent when it is answered or given up, so that offsets never move back.
 * Each has a ticket, by which the late answer to one that was given up is told from that to the latest. The owner only.
 */
final class CommitInFlight {
    /** How soon a commit that failed is made again. */
    static final long RETRY_NANOS = 100_000_000;

    private static final Logger log = LoggerFactory.getLogger(CommitInFlight.class);

    private final CommitSender commits;
    private final long timeoutNanos;
    private boolean unanswered;
    private long sentNanos;
    private int ticket;

    /** @param timeoutNanos for which an answer is waited for */
    CommitInFlight(CommitSender commits, long timeoutNanos) {
        this.commits = commits;
        this.timeoutNanos = timeoutNanos;
    }

    /** Whether a commit is on its way. */
    boolean isUnanswered() {
        return unanswered;
    }

    /** When the latest commit was sent. */
    long sentNanos() {
        return sentNanos;
    }

    /** How much longer its answer is waited for; not above zero when it is overdue. */
    long untilOverdue(long nowNanos) {
        return timeoutNanos - (nowNanos - sentNanos);
    }

    /**
     * Sends a commit.
     *
     * @param answered called with null when all is stored, else with the failure, which has been told by then
     */
    void send(Map<Partition, Progress> news, long nowNanos, Consumer<@Nullable Exception> answered) {
        unanswered = true;
        sentNanos = nowNanos;
        int own = ++ticket;
        commits.sendAsync(news, () -> own == ticket, failure -> {
            unanswered = false;
            if (failure != null) {
                commits.failed(failure);
            }
            answered.accept(failure);
        });
    }

    /** Its answer is overdue, and counts no more. */
    void giveUp() {
        log.warn("a commit was not answered and is made again");
        forget();
        commits.failed(new TimeoutException("no answer to a commit"));
    }

    /**
     * Commits the progress of these partitions as their last and waits. The client keeps the order of commits, and this
     * one says at least as much as what is on its way, whose answer counts no more.
     */
    boolean flush(Collection<Partition> partitions) {
        forget();
        return commits.sendSync(partitions, true);
    }

    private void forget() {
        ticket++;
        unanswered = false;
    }
}
