package dev.laneway.stream;

import dev.laneway.stream.runtime.CompletionStages;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Passes a stream to a subscriber and notes how the stream ended: with the subscriber's own result, if it is a
 * {@link Sink}, else with the end that the subscriber received. If the subscriber throws, the stream is cancelled and
 * fails with that exception.
 */
final class EndObserver<T> implements Sink<T>, Flow.Subscription {
    private static final Logger log = LoggerFactory.getLogger(EndObserver.class);

    private final Flow.Subscriber<? super T> subscriber;
    private final AtomicReference<Flow.@Nullable Subscription> upstream = new AtomicReference<>();
    private final CompletableFuture<@Nullable Void> completion = new CompletableFuture<>();
    private final boolean tellsItself;
    /** Whether the subscriber has thrown. */
    private volatile boolean broken;

    EndObserver(Flow.Subscriber<? super T> subscriber) {
        this.subscriber = subscriber;
        this.tellsItself = subscriber instanceof Sink<? super T>;
        if (subscriber instanceof Sink<? super T> sink) {
            var _ = Objects.requireNonNull(sink.completion(), "the completion of the sink")
                    .whenComplete((nothing, failure) -> end(CompletionStages.unwrapped(failure)));
        }
    }

    private void end(@Nullable Throwable failure) {
        if (failure == null) {
            completion.complete(null);
        } else {
            completion.completeExceptionally(failure);
        }
    }

    private void broken(Throwable thrown) {
        broken = true;
        completion.completeExceptionally(thrown); // First: a cancelled source would report a clean end.
        cancelUpstream();
    }

    private void cancelUpstream() {
        Flow.Subscription above = upstream.get();
        if (above != null) {
            try {
                above.cancel();
            } catch (Throwable thrown) { // Against rule 3.15; another library's.
                if (!completion.completeExceptionally(thrown)) {
                    log.debug("cancel of a subscription threw; the stream had failed before", thrown);
                }
            }
        }
    }

    // ---------------------------------------------------------------- from below

    @Override
    public void request(long elements) {
        Flow.Subscription above = upstream.get();
        if (above != null) {
            try {
                above.request(elements);
            } catch (Throwable thrown) { // Against rule 3.16; another library's.
                broken(thrown);
            }
        }
    }

    @Override
    public void cancel() {
        cancelUpstream();
        if (!tellsItself) {
            completion.complete(null);
        }
    }

    // ---------------------------------------------------------------- from above

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
        Objects.requireNonNull(subscription, "subscription");
        if (!upstream.compareAndSet(null, subscription)) {
            subscription.cancel();
            return;
        }
        try {
            subscriber.onSubscribe(this);
        } catch (Throwable thrown) {
            broken(thrown);
        }
    }

    @Override
    public void onNext(T element) {
        if (!broken) {
            try {
                subscriber.onNext(element);
            } catch (Throwable thrown) {
                broken(thrown);
            }
        }
    }

    @Override
    public void onError(Throwable failure) {
        if (broken) {
            return;
        }
        try {
            subscriber.onError(failure);
        } catch (Throwable thrown) {
            log.debug("onError of a subscriber threw, against rule 2.13 of Reactive Streams", thrown);
            completion.completeExceptionally(failure); // A sink that throws may never complete its own result.
        }
        if (!tellsItself) {
            completion.completeExceptionally(failure);
        }
    }

    @Override
    public void onComplete() {
        if (broken) {
            return;
        }
        try {
            subscriber.onComplete();
        } catch (Throwable thrown) {
            broken = true;
            completion.completeExceptionally(thrown);
        }
        if (!tellsItself) {
            completion.complete(null);
        }
    }

    @Override
    public CompletionStage<@Nullable Void> completion() {
        return completion.minimalCompletionStage();
    }
}
