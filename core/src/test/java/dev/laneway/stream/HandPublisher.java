package dev.laneway.stream;

import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicLong;

/** A publisher whose every signal a test sends by hand. Counts what it is asked for. */
public final class HandPublisher<T> implements Flow.Publisher<T>, Flow.Subscription {
    private final AtomicLong requested = new AtomicLong();
    private volatile Flow.Subscriber<? super T> subscriber;
    private volatile boolean cancelled;

    @Override
    public void subscribe(Flow.Subscriber<? super T> given) {
        subscriber = given;
        given.onSubscribe(this);
    }

    @Override
    public void request(long elements) {
        requested.addAndGet(elements);
    }

    @Override
    public void cancel() {
        cancelled = true;
    }

    public void send(T element) {
        subscriber.onNext(element);
    }

    void complete() {
        subscriber.onComplete();
    }

    void fail(Throwable cause) {
        subscriber.onError(cause);
    }

    /** How many elements it was asked for, all together. */
    long requested() {
        return requested.get();
    }

    boolean isCancelled() {
        return cancelled;
    }
}
