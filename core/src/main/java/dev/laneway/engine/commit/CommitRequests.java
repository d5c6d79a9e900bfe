package dev.laneway.engine.commit;

import dev.laneway.BrokerException;
import dev.laneway.engine.runtime.WakeSignal;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Those who have asked for a commit and wait for its answer. Whoever asks while some are being served is served next,
 * so that an answer never speaks of what was acknowledged too late for it. The owner only, but for {@link #ask}.
 */
final class CommitRequests {
    private final WakeSignal wake;
    /** For those who ask from now on. */
    private final AtomicReference<@Nullable CompletableFuture<@Nullable Void>> next = new AtomicReference<>();

    private volatile boolean ended;
    private volatile @Nullable BrokerException end;
    /** For those who are being served. */
    private @Nullable CompletableFuture<@Nullable Void> answer;

    CommitRequests(WakeSignal wake) {
        this.wake = wake;
    }

    /** Asks for a commit of what is acknowledged by now. Any thread. */
    CompletionStage<@Nullable Void> ask() {
        CompletableFuture<@Nullable Void> mine = null;
        while (mine == null) {
            mine = next.get();
            if (mine == null) {
                CompletableFuture<@Nullable Void> first = new CompletableFuture<>();
                mine = next.compareAndSet(null, first) ? first : null;
            }
        }
        wake.signal();
        if (ended) {
            answerLate();
        }
        return mine.minimalCompletionStage();
    }

    /** Whether some are being served. */
    boolean isOpen() {
        return answer != null;
    }

    /** Whether others wait to be. */
    boolean hasMore() {
        return next.get() != null;
    }

    /** Serves those who wait, unless some are being served; false when there are none, or were before. */
    boolean take() {
        if (answer != null) {
            return false;
        }
        answer = next.getAndSet(null);
        return answer != null;
    }

    /** Serves those who wait, too: what will be committed now is what all of them have acknowledged. */
    void takeAll() {
        CompletableFuture<@Nullable Void> more = next.getAndSet(null);
        if (answer == null) {
            answer = more;
        } else if (more != null) {
            var _ = answer.whenComplete((nothing, cause) -> {
                if (cause == null) {
                    more.complete(null);
                } else {
                    more.completeExceptionally(cause);
                }
            });
        }
    }

    /** What they asked for is committed. */
    void answered() {
        CompletableFuture<@Nullable Void> waiting = answer;
        answer = null;
        if (waiting != null) {
            waiting.complete(null);
        }
    }

    /**
     * The consumer has ended: its last commit was the last one.
     *
     * @param cause why that is not confirmed; null when it is
     */
    void end(@Nullable BrokerException cause) {
        end = cause;
        ended = true;
        answerLate();
    }

    private void answerLate() {
        answerAtEnd(next.getAndSet(null));
        answerAtEnd(answer);
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
