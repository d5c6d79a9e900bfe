package dev.laneway.stream;

import dev.laneway.Health;
import dev.laneway.StreamException;
import dev.laneway.engine.Feeding;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The control of a {@link KafkaSource}: the consumer starts when the stream is subscribed to, and ends with it. When
 * the stream is over, whatever the reason, the consumer stays in its group for as long as what was delivered may yet be
 * acknowledged, up to the close limit. Thread-safe.
 */
final class ConsumerControl implements Control {
    private final Duration closeLimit;
    private final CompletableFuture<@Nullable Void> completion = new CompletableFuture<>();
    private volatile Runnable onStop = () -> {};
    private volatile boolean stopping;
    private volatile @Nullable Feeding feeding;
    private volatile @Nullable Throwable failure;
    /** Guarded by this monitor. */
    private boolean starting;

    ConsumerControl(Duration closeLimit) {
        this.closeLimit = closeLimit;
    }

    /** What tells the stream that it is to stop. */
    void onStop(Runnable tell) {
        onStop = tell;
    }

    /** Whether nothing more may be delivered. */
    boolean isStopping() {
        return stopping;
    }

    /** Starts the consumer, unless the stream has been stopped before; throws what a wrong configuration throws. */
    void start(Supplier<Feeding> starter) {
        synchronized (this) {
            if (stopping) {
                return;
            }
            starting = true;
        }
        Feeding started;
        try {
            started = starter.get();
        } catch (Throwable refused) {
            completion.completeExceptionally(refused);
            throw refused;
        }
        feeding = started;
        var _ = started.ended().whenComplete((nothing, never) -> ended(started));
        if (stopping) {
            started.close(closeLimit);
        }
    }

    /** The stream fails, though the consumer may be well. The first failure counts. */
    void failed(Throwable cause) {
        if (failure == null) {
            failure = cause;
        }
    }

    /** The stream is over, or is to be. */
    void close(Duration limit) {
        boolean neverStarted;
        synchronized (this) {
            stopping = true;
            neverStarted = !starting;
        }
        Feeding running = feeding;
        if (running != null) {
            running.close(limit);
        } else if (neverStarted) {
            completion.complete(null);
        }
        onStop.run();
    }

    /** As {@link #close(Duration)}, with the limit of the settings. */
    void close() {
        close(closeLimit);
    }

    private void ended(Feeding ended) {
        Throwable cause = failure == null ? ended.failure().orElse(null) : failure;
        if (cause == null) {
            completion.complete(null);
        } else {
            completion.completeExceptionally(cause);
        }
    }

    @Override
    public void stop() {
        close(closeLimit);
    }

    @Override
    public CompletionStage<@Nullable Void> drainAndShutdown(Duration limit) {
        close(limit);
        CompletableFuture<@Nullable Void> result = new CompletableFuture<>();
        var _ = completion.whenComplete((nothing, cause) -> {
            Feeding ended = feeding;
            if (cause != null) {
                result.completeExceptionally(cause);
            } else if (ended != null && !ended.isFinished()) {
                result.completeExceptionally(new StreamException("what was delivered was not acknowledged within the"
                        + " drain limit " + limit + ": raise it, or look for the stage that does not end. The next"
                        + " owner reads it again"));
            } else {
                result.complete(null);
            }
        });
        return result.minimalCompletionStage();
    }

    @Override
    public boolean isShutdown() {
        return completion.isDone();
    }

    @Override
    public CompletionStage<@Nullable Void> completion() {
        return completion.minimalCompletionStage();
    }

    @Override
    public Health health() {
        Feeding running = feeding;
        if (running != null) {
            return running.health();
        }
        return completion.isDone()
                ? new Health(Health.Status.DOWN, List.of("the stream has ended"))
                : new Health(Health.Status.UP, List.of());
    }
}
