package dev.laneway.stream;

import dev.laneway.Health;
import dev.laneway.StreamException;
import dev.laneway.stream.runtime.CompletionStages;
import dev.laneway.stream.runtime.StreamTimer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The control of a stream with a sink: like that of its source, but it ends when the sink has ended too. */
final class RunControl implements Control {
    /** How long a source may take to leave its group when it no longer waits for acknowledgements. */
    private static final Duration LEAVING = Duration.ofSeconds(30);

    private final SourceControl source;
    private final StreamTimer alarm;
    private final CompletableFuture<@Nullable Void> sunk = new CompletableFuture<>();
    private final CompletableFuture<@Nullable Void> completion;

    RunControl(SourceControl source, CompletionStage<@Nullable Void> sink, StreamTimer alarm) {
        this.source = source;
        this.alarm = alarm;
        this.completion = both(source.completion(), sink);
        var _ = sink.whenComplete((nothing, failure) -> {
            Throwable cause = CompletionStages.unwrapped(failure);
            if (cause != null) {
                source.failed(cause);
            }
            sunk.complete(null);
        });
    }

    /** Completes when both have ended. Fails with the cause itself, with the sink's if both failed. */
    private static CompletableFuture<@Nullable Void> both(
            CompletionStage<@Nullable Void> source, CompletionStage<@Nullable Void> sink) {
        CompletableFuture<@Nullable Void> both = new CompletableFuture<>();
        var _ = sink.whenComplete((nothing, sinkFailure) -> {
            var _ = source.whenComplete((none, sourceFailure) -> {
                Throwable failure = CompletionStages.unwrapped(sinkFailure == null ? sourceFailure : sinkFailure);
                if (failure == null) {
                    both.complete(null);
                } else {
                    both.completeExceptionally(failure);
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
        CompletableFuture<@Nullable Void> result = both(source.drainAndShutdown(limit), completion);
        var _ = completion.whenComplete((nothing, failure) -> {
            if (failure != null) {
                result.completeExceptionally(failure);
            }
        });
        alarm.unless(sunk, limit, () -> giveUp(limit));
        return result.minimalCompletionStage();
    }

    /** The sink has not ended at the limit, which the source has too: ends all stages. */
    private void giveUp(Duration limit) {
        StreamException late = new StreamException("the stream was not through within the drain limit " + limit
                + ": raise it, or look for the stage that does not end");
        source.failed(late);
        // A blocked subscriber, or a stage of another library, may never report its end.
        var _ = source.completion().whenComplete((nothing, failure) -> completion.completeExceptionally(late));
        alarm.limit(completion, LEAVING, () -> late);
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
