package dev.laneway.stream;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/** Takes and drops all elements; only the end of the stream matters. */
final class DrainSink<T> implements Sink<T> {
    private final CompletableFuture<@Nullable Void> completion = new CompletableFuture<>();

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
        try {
            subscription.request(Long.MAX_VALUE);
        } catch (Throwable thrown) { // Against rule 3.16; another library's.
            completion.completeExceptionally(thrown);
        }
    }

    @Override
    public void onNext(T element) {
        // The element itself is not needed.
    }

    @Override
    public void onError(Throwable failure) {
        completion.completeExceptionally(failure);
    }

    @Override
    public void onComplete() {
        completion.complete(null);
    }

    @Override
    public CompletionStage<@Nullable Void> completion() {
        return completion;
    }
}
