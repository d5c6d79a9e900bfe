package dev.laneway.stream;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Passes a stream on to a subscriber that cannot tell when it is through, and notes how the stream ended. */
final class Ending<T> implements Sink<T> {
    private final Flow.Subscriber<? super T> subscriber;
    private final AtomicBoolean subscribed = new AtomicBoolean();
    private final CompletableFuture<@Nullable Void> completion = new CompletableFuture<>();

    Ending(Flow.Subscriber<? super T> subscriber) {
        this.subscriber = subscriber;
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
        if (!subscribed.compareAndSet(false, true)) {
            subscription.cancel();
            return;
        }
        subscriber.onSubscribe(new Flow.Subscription() {
            @Override
            public void request(long elements) {
                subscription.request(elements);
            }

            @Override
            public void cancel() {
                subscription.cancel();
                completion.complete(null);
            }
        });
    }

    @Override
    public void onNext(T element) {
        subscriber.onNext(element);
    }

    @Override
    public void onError(Throwable failure) {
        try {
            subscriber.onError(failure);
        } finally {
            completion.completeExceptionally(failure);
        }
    }

    @Override
    public void onComplete() {
        try {
            subscriber.onComplete();
            completion.complete(null);
        } catch (Throwable failure) {
            completion.completeExceptionally(failure);
            throw failure;
        }
    }

    @Override
    public CompletionStage<@Nullable Void> completion() {
        return completion.minimalCompletionStage();
    }
}
