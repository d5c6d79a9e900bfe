package dev.laneway.stream;

import dev.laneway.Health;
import dev.laneway.StreamException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The control of a stream that runs into a sink: that of its source, but it ends when the sink has, too. */
final class RunControl implements Control {
    private final Control source;
    private final CompletableFuture<@Nullable Void> completion;

    RunControl(Control source, CompletionStage<@Nullable Void> sink) {
        this.source = source;
        this.completion = both(source.completion(), sink);
    }

    /** Of both, when both are through; the failure is the cause itself, and the sink's if each has one. */
    private static CompletableFuture<@Nullable Void> both(
            CompletionStage<@Nullable Void> source, CompletionStage<@Nullable Void> sink) {
        CompletableFuture<@Nullable Void> both = new CompletableFuture<>();
        var _ = sink.whenComplete((nothing, sinkFailure) -> {
            var _ = source.whenComplete((none, sourceFailure) -> {
                Throwable failure = sinkFailure == null ? sourceFailure : sinkFailure;
                if (failure == null) {
                    both.complete(null);
                } else {
                    both.completeExceptionally(
                            failure instanceof CompletionException && failure.getCause() != null
                                    ? failure.getCause()
                                    : failure);
                }
            });
        });
        return both;
    }

    @Override
    public void stop() {
        source.stop();
    }

    @Override
    public CompletionStage<@Nullable Void> drainAndShutdown(Duration limit) {
        CompletionStage<@Nullable Void> drained = source.drainAndShutdown(limit);
        return both(drained, limited(limit)).minimalCompletionStage();
    }

    private CompletableFuture<@Nullable Void> limited(Duration limit) {
        CompletableFuture<@Nullable Void> limited = completion.copy();
        AlarmClock.REAL.limit(
                limited,
                limit,
                () -> new StreamException("the stream was not through within the drain limit " + limit
                        + ": raise it, or look for the stage that does not end"));
        return limited;
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
        return source.health();
    }
}
