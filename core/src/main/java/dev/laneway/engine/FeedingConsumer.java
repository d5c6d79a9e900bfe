package dev.laneway.engine;

import dev.laneway.Health;
import dev.laneway.Snapshot;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The handle of a consumer that feeds a stream. Thread-safe. */
public final class FeedingConsumer {
    private final RunningConsumer members;

    public FeedingConsumer(RunningConsumer members) {
        this.members = members;
    }

    /**
     * Delivers nothing more, waits for what was delivered to be acknowledged, commits and leaves. Returns at once.
     *
     * @param limit for the wait; of several, the shortest counts
     */
    public void close(Duration limit) {
        members.closeLater(limit);
    }

    /**
     * The stream has failed: what was delivered is not waited for, neither at the close nor in a rebalance. What is
     * acknowledged already is committed.
     */
    public void abandon() {
        members.abandonLater();
    }

    /** Completes when everything has ended; never exceptionally. */
    public CompletionStage<@Nullable Void> ended() {
        return members.ended();
    }

    /** Whether, at the end, all that had been delivered was acknowledged. */
    public boolean isFinished() {
        return members.isFinished();
    }

    /** What ended it, if anything but a close did. */
    public Optional<Throwable> failure() {
        return members.failure();
    }

    /** Whether it does its work, and if not, why. */
    public Health health() {
        return members.health();
    }

    /** The consumer at this moment. */
    public Snapshot snapshot() {
        return members.snapshot();
    }
}
