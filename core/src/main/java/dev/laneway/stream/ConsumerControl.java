package dev.laneway.stream;

import dev.laneway.Health;
import dev.laneway.StreamException;
import dev.laneway.engine.FeedingConsumer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The control of a {@link KafkaSource}: the consumer starts when the stream is subscribed to, and ends with it. After
 * the stream the consumer stays in its group until delivered records are acknowledged, up to the close limit; after a
 * failure it does not wait. Thread-safe.
 */
final class ConsumerControl implements SourceControl {
    private static final Logger log = LoggerFactory.getLogger(ConsumerControl.class);

    private final Duration closeLimit;
    private final CompletableFuture<@Nullable Void> completion = new CompletableFuture<>();
    private final Pipeline pipeline = new Pipeline();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private volatile Runnable onStop = () -> {};
    private volatile boolean stopping;
    private volatile @Nullable FeedingConsumer feeding;
    /** The limit of {@link #drainAndShutdown}; null before it is called. */
    private volatile @Nullable Duration drainLimit;
    /** Guarded by this monitor. */
    private boolean starting;

    ConsumerControl(Duration closeLimit) {
        this.closeLimit = closeLimit;
    }

    /** Sets what stops the stream. */
    void onStop(Runnable tell) {
        onStop = tell;
    }

    /** Whether nothing more may be delivered. */
    boolean isStopping() {
        return stopping;
    }

    /** Starts the consumer, unless the stream was stopped before. Throws if the configuration is wrong. */
    void start(Supplier<FeedingConsumer> starter) {
        synchronized (this) {
            if (stopping) {
                return;
            }
            starting = true;
        }
        FeedingConsumer started;
        try {
            started = starter.get();
        } catch (Throwable refused) {
            completion.completeExceptionally(refused);
            throw refused;
        }
        feeding = started;
        var _ = started.ended().whenComplete((nothing, never) -> ended(started));
        if (stopping) {
            close(started, closeLimit);
        }
    }

    private void close(FeedingConsumer running, Duration limit) {
        if (failure.get() != null) {
            running.abandon();
        }
        running.close(limit);
    }

    @Override
    public Pipeline pipeline() {
        return pipeline;
    }

    @Override
    public void failed(Throwable cause) {
        if (!failure.compareAndSet(null, cause)) {
            return;
        }
        FeedingConsumer running = feeding;
        boolean isTheConsumers =
                running != null && running.failure().filter(cause::equals).isPresent();
        if (!isTheConsumers) { // That has been logged.
            log.error("the stream has failed: {}", cause.getMessage(), cause);
        }
        close(closeLimit);
        pipeline.abort(cause);
    }

    /** The failure of the stream. */
    @Nullable
    Throwable failure() {
        return failure.get();
    }

    /** Ends the stream, if it has not ended, and closes the consumer. */
    void close(Duration limit) {
        boolean neverStarted;
        synchronized (this) {
            stopping = true;
            neverStarted = !starting;
        }
        FeedingConsumer running = feeding;
        if (running != null) {
            close(running, limit);
        } else if (neverStarted) {
            end(failure.get());
        }
        onStop.run();
    }

    /** As {@link #close(Duration)}, with the limit of the settings. */
    void close() {
        close(closeLimit);
    }

    private void ended(FeedingConsumer ended) {
        Duration limit = drainLimit;
        Throwable cause = failure.get() == null ? ended.failure().orElse(null) : failure.get();
        if (cause == null && limit != null && !ended.isFinished()) {
            cause = unacknowledged(limit);
            failed(cause);
        }
        end(cause);
    }

    private void end(@Nullable Throwable cause) {
        if (cause == null) {
            completion.complete(null);
        } else {
            completion.completeExceptionally(cause);
        }
    }

    private static StreamException unacknowledged(Duration limit) {
        return new StreamException("what was delivered was not acknowledged within the drain limit " + limit
                + ": raise it, or look for the stage that does not end. The next owner reads it again");
    }

    @Override
    public void stop() {
        close(closeLimit);
    }

    @Override
    public CompletionStage<@Nullable Void> drainAndShutdown(Duration limit) {
        drainLimit = limit;
        close(limit);
        CompletableFuture<@Nullable Void> result = new CompletableFuture<>();
        var _ = completion.whenComplete((nothing, cause) -> {
            FeedingConsumer ended = feeding;
            if (cause != null) {
                result.completeExceptionally(cause);
            } else if (ended != null && !ended.isFinished()) { // It had stopped before.
                result.completeExceptionally(unacknowledged(limit));
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
        Throwable cause = failure.get();
        if (cause != null) {
            return new Health(
                    Health.Status.DOWN, List.of(Health.Cause.MEMBER_FAILED.reason("the stream has failed: " + cause)));
        }
        FeedingConsumer running = feeding;
        if (running != null) {
            return running.health();
        }
        return completion.isDone()
                ? new Health(Health.Status.DOWN, List.of(Health.Cause.MEMBER_CLOSED.reason("the stream has ended")))
                : new Health(Health.Status.UP, List.of());
    }
}
