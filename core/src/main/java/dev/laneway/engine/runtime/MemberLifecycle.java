package dev.laneway.engine.runtime;

import dev.laneway.State;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Where a member is in its life. The owner moves it; anybody reads it and waits for its end. Thread-safe. */
public final class MemberLifecycle {
    private static final Logger log = LoggerFactory.getLogger(MemberLifecycle.class);

    private final CompletableFuture<@Nullable Void> ended = new CompletableFuture<>();
    private volatile State state = State.STARTING;
    private volatile @Nullable Throwable failure;
    private volatile boolean idle;
    private final @Nullable ObserverCalls observers;

    /** Tells nobody. */
    public MemberLifecycle() {
        this(null);
    }

    public MemberLifecycle(@Nullable ObserverCalls observers) {
        this.observers = observers;
    }

    public State state() {
        return state;
    }

    public @Nullable Throwable failure() {
        return failure;
    }

    /** A failure that ends the member; the first one counts, later ones are added to it. The owner only. */
    public void fail(Throwable cause) {
        Throwable first = failure;
        if (first == null) {
            failure = cause;
            log.error("stopping: {}", cause.getMessage(), cause);
        } else if (!first.equals(cause)) {
            first.addSuppressed(cause);
        }
    }

    /** Moves on; an illegal move is a bug. The owner only. */
    public void to(State next) {
        if (next == state) {
            return;
        }
        if (!state.next().contains(next)) {
            throw new IllegalStateException("a consumer in state " + state + " cannot become " + next);
        }
        state = next;
        if (observers != null) {
            observers.stateChanged(next);
        }
        if (next.isTerminal()) {
            ended.complete(null);
        }
    }

    /** Whether nothing is in flight any more as the end begins. The owner only. */
    public void endsIdle(boolean isIdle) {
        idle = isIdle;
    }

    /** Whether nothing was in flight any more at the end. */
    public boolean hasEndedIdle() {
        return idle;
    }

    /** Completes when the member has ended; never exceptionally. */
    public CompletableFuture<@Nullable Void> ended() {
        return ended;
    }
}
