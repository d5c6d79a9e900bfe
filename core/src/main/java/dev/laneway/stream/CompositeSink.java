package dev.laneway.stream;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/** A sink made of the first of its stages, and of the ends of all of them. */
final class CompositeSink<T> implements Sink<T> {
    private final Flow.Subscriber<T> first;
    private final List<Operator<?, ?>> stages;
    private final CompletableFuture<@Nullable Void> completion = new CompletableFuture<>();

    /**
     * Puts a sink together.
     *
     * @param stages all of them
     * @param closed always completes; whether the sink has failed is what the end says
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

    /** It ends the stream that has this control. */
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
