package dev.laneway.stream;

import dev.laneway.Health;
import dev.laneway.StreamException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Another publisher's stream, with a control: to stop it cancels the publisher's subscription and completes the stream.
 * For one subscriber. Signals stay one after the other: {@link #signals} tells how many are being passed on, one inside
 * the other, and whether the stop has come; whoever leaves last, or comes when there is none, passes the end on.
 */
final class Valve<T> implements Flow.Publisher<T>, Flow.Subscriber<T>, Flow.Subscription, Control {
    private static final int STOPPED = 1 << 30;

    private final Flow.Publisher<T> publisher;
    private final AtomicInteger signals = new AtomicInteger();
    private final AtomicBoolean ended = new AtomicBoolean();
    private final CompletableFuture<@Nullable Void> completion = new CompletableFuture<>();
    private volatile Flow.@Nullable Subscriber<? super T> downstream;
    private volatile Flow.@Nullable Subscription upstream;

    Valve(Flow.Publisher<T> publisher) {
        this.publisher = publisher;
    }

    // ---------------------------------------------------------------- the publisher, for one subscriber

    @Override
    public void subscribe(Flow.Subscriber<? super T> subscriber) {
        downstream = subscriber;
        publisher.subscribe(this);
    }

    @Override
    public void request(long elements) {
        Flow.Subscription subscription = upstream;
        if (subscription != null) {
            subscription.request(elements);
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
            subscription.cancel();
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
        boolean stopped = !begin(); // First: a stop that finds an upstream must find its signal, too.
        upstream = subscription;
        subscriber.onSubscribe(this);
        if (stopped) {
            subscription.cancel();
        }
        passed();
    }

    @Override
    public void onNext(T element) {
        Objects.requireNonNull(element, "element");
        Flow.Subscriber<? super T> subscriber = downstream;
        if (begin() && subscriber != null) {
            subscriber.onNext(element);
        }
        passed();
    }

    @Override
    public void onError(Throwable failure) {
        Objects.requireNonNull(failure, "failure");
        Flow.Subscriber<? super T> subscriber = downstream;
        if (begin() && subscriber != null && ended.compareAndSet(false, true)) {
            downstream = null;
            subscriber.onError(failure);
            completion.completeExceptionally(failure);
        }
        passed();
    }

    @Override
    public void onComplete() {
        if (begin()) {
            complete();
        }
        passed();
    }

    /** False when the stop has come before: then the signal is not passed on. */
    private boolean begin() {
        return signals.getAndIncrement() < STOPPED;
    }

    private void passed() {
        if (signals.decrementAndGet() == STOPPED) {
            complete();
        }
    }

    private void complete() {
        Flow.Subscriber<? super T> subscriber = downstream;
        if (subscriber != null && ended.compareAndSet(false, true)) {
            downstream = null;
            subscriber.onComplete();
        }
        completion.complete(null);
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
            completion.complete(null); // A subscriber that comes yet is told by onSubscribe.
        } else if (before == 0) {
            complete();
        }
    }

    @Override
    public CompletionStage<@Nullable Void> drainAndShutdown(Duration limit) {
        stop();
        CompletableFuture<@Nullable Void> limited = completion.copy();
        AlarmClock.REAL.limit(
                limited,
                limit,
                () -> new StreamException("the subscriber did not take its last element within the drain limit " + limit
                        + ": raise it, or look for what it waits for"));
        return limited.minimalCompletionStage();
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
        return completion.isDone()
                ? new Health(Health.Status.DOWN, List.of("the stream has ended"))
                : new Health(Health.Status.UP, List.of());
    }
}
