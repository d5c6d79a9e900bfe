package dev.laneway.stream;

import dev.laneway.Health;
import dev.laneway.StreamException;
import dev.laneway.stream.runtime.SystemStreamTimer;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Adds a control to another publisher's stream: {@code stop} cancels the publisher's subscription and completes the
 * stream. For one subscriber. Signals must not overlap: {@link #signals} counts those that are being passed on, nested
 * ones included, and notes the stop; the last of them, or the stop itself if there is none, passes the end on. What
 * publisher or subscriber throw ends the stream.
 */
final class PublisherControl<T> implements Flow.Publisher<T>, Flow.Subscriber<T>, Flow.Subscription, SourceControl {
    private static final Logger log = LoggerFactory.getLogger(PublisherControl.class);
    private static final int STOPPED = 1 << 30;

    private final Flow.Publisher<T> publisher;
    private final AtomicInteger signals = new AtomicInteger();
    private final AtomicBoolean ended = new AtomicBoolean();
    private final CompletableFuture<@Nullable Void> completion = new CompletableFuture<>();
    private final Pipeline pipeline = new Pipeline();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private volatile Flow.@Nullable Subscriber<? super T> downstream;
    private volatile Flow.@Nullable Subscription upstream;

    PublisherControl(Flow.Publisher<T> publisher) {
        this.publisher = publisher;
    }

    // ---------------------------------------------------------------- the publisher, for one subscriber

    @Override
    public void subscribe(Flow.Subscriber<? super T> subscriber) {
        downstream = subscriber;
        try {
            publisher.subscribe(this);
        } catch (Throwable thrown) { // Against rule 1.9.
            failed(thrown);
            if (upstream == null && ended.compareAndSet(false, true)) {
                downstream = null;
                SubscriptionRefusal.to(subscriber, thrown);
            }
        }
    }

    @Override
    public void request(long elements) {
        Flow.Subscription subscription = upstream;
        if (subscription != null) {
            try {
                subscription.request(elements);
            } catch (Throwable thrown) { // Against rule 3.16.
                failed(thrown);
            }
        }
    }

    @Override
    public void cancel() {
        downstream = null;
        cancelUpstream();
        completion.complete(null);
    }

    private void cancelUpstream() {
        Flow.Subscription subscription = upstream;
        if (subscription != null) {
            try {
                subscription.cancel();
            } catch (Throwable thrown) { // Against rule 3.15.
                note(thrown);
            }
        }
    }

    // ---------------------------------------------------------------- the subscriber of the other publisher

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
        Flow.Subscriber<? super T> subscriber = downstream;
        if (upstream != null || subscriber == null) {
            subscription.cancel();
            return;
        }
        boolean stopped = !begin(); // First: a stop that sees the upstream must also see this signal.
        upstream = subscription;
        try {
            subscriber.onSubscribe(this);
        } catch (Throwable thrown) {
            broken(thrown);
        }
        if (stopped) {
            cancelUpstream();
        }
        passed();
    }

    @Override
    public void onNext(T element) {
        Objects.requireNonNull(element, "element");
        Flow.Subscriber<? super T> subscriber = downstream;
        if (begin() && subscriber != null) {
            try {
                subscriber.onNext(element);
            } catch (Throwable thrown) {
                broken(thrown);
            }
        }
        passed();
    }

    @Override
    public void onError(Throwable cause) {
        Objects.requireNonNull(cause, "cause");
        if (begin()) {
            end(cause);
        }
        passed();
    }

    @Override
    public void onComplete() {
        if (begin()) {
            end(null);
        }
        passed();
    }

    /** The subscriber has thrown: by rule 2.13 it counts as cancelled. */
    private void broken(Throwable thrown) {
        downstream = null;
        failed(thrown);
    }

    /** False if the stream was stopped before: then the signal is not passed on. */
    private boolean begin() {
        return signals.getAndIncrement() < STOPPED;
    }

    private void passed() {
        if (signals.decrementAndGet() == STOPPED) {
            end(failure.get());
        }
    }

    private void end(@Nullable Throwable cause) {
        Flow.Subscriber<? super T> subscriber = downstream;
        if (subscriber != null && ended.compareAndSet(false, true)) {
            downstream = null;
            try {
                if (cause == null) {
                    subscriber.onComplete();
                } else {
                    subscriber.onError(cause);
                }
            } catch (Throwable thrown) {
                note(cause == null ? thrown : cause);
            }
        }
        if (cause == null) {
            completion.complete(null);
        } else {
            completion.completeExceptionally(cause);
        }
    }

    // ---------------------------------------------------------------- the control

    @Override
    public void stop() {
        int before = signals.getAndUpdate(count -> count | STOPPED);
        if (before >= STOPPED) {
            return;
        }
        cancelUpstream();
        if (upstream == null) {
            completion.complete(null); // A later subscriber hears of it in onSubscribe.
        } else if (before == 0) {
            end(failure.get());
        }
    }

    @Override
    public Pipeline pipeline() {
        return pipeline;
    }

    @Override
    public void failed(Throwable cause) {
        if (note(cause)) {
            stop();
            pipeline.abort(cause);
        }
    }

    /** Fails the stream's result, unless it has one. Returns whether this is the first failure. */
    private boolean note(Throwable cause) {
        boolean isFirst = failure.compareAndSet(null, cause);
        if (isFirst) {
            log.error("a stream has failed: {}", cause.getMessage(), cause);
            completion.completeExceptionally(cause);
        }
        return isFirst;
    }

    @Override
    public CompletionStage<@Nullable Void> drainAndShutdown(Duration limit) {
        stop();
        SystemStreamTimer.REAL.unless(
                completion,
                limit,
                () -> failed(new StreamException("the subscriber did not take its last element within the drain limit "
                        + limit + ": raise it, or look for what it waits for")));
        return completion();
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
        return completion.isDone()
                ? new Health(Health.Status.DOWN, List.of(Health.Cause.MEMBER_CLOSED.reason("the stream has ended")))
                : new Health(Health.Status.UP, List.of());
    }
}
