package dev.laneway.stream;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/** A sink that receives with the first of its stages and completes with all of them. */
final class CompositeSink<T> implements Sink<T> {
    private final Flow.Subscriber<T> first;
    private final List<Operator<?, ?>> stages;
    private final CompletableFuture<@Nullable Void> completion = new CompletableFuture<>();

    /**
     * Makes a sink of stages.
     *
     * @param stages all of them
     * @param closed completes when the last stage is closed, also after a failure
     */
    CompositeSink(
            Flow.Subscriber<T> first,
            List<Operator<?, ?>> stages,
            CompletionStage<@Nullable Void> end,
            CompletionStage<@Nullable Void> closed) {
        this.first = first;
        this.stages = List.copyOf(stages);
        var _ = end.whenComplete((nothing, failure) -> {
            var _ = closed.whenComplete((none, notClosed) -> {
                Throwable cause = failure == null ? notClosed : failure;
                if (cause == null) {
                    completion.complete(null);
                } else {
                    completion.completeExceptionally(cause);
                }
            });
        });
    }

    /** Connects the stages to the control of their stream. */
    void within(SourceControl control) {
        stages.forEach(stage -> stage.within(control));
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
        first.onSubscribe(subscription);
    }

    @Override
    public void onNext(T element) {
        first.onNext(element);
    }

    @Override
    public void onError(Throwable failure) {
        first.onError(failure);
    }

    @Override
    public void onComplete() {
        first.onComplete();
    }

    @Override
    public CompletionStage<@Nullable Void> completion() {
        return completion.minimalCompletionStage();
    }
}
