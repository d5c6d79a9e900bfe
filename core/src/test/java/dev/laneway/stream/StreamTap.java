package dev.laneway.stream;

import java.util.concurrent.Flow;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A stage between two others of a simulated stream: checks the rules of Reactive Streams, and lets other tasks run in
 * between.
 */
final class StreamTap<T> implements Flow.Processor<T, T>, Flow.Subscription {
    private final StreamMember member;
    private final String name;
    private final Consumer<T> look;
    private Flow.@Nullable Subscriber<? super T> below;
    private Flow.@Nullable Subscription above;
    private long requested;
    private long passed;
    private boolean inside;
    private boolean ended;
    private @Nullable Throwable failure;

    StreamTap(StreamMember member, String name, Consumer<T> look) {
        this.member = member;
        this.name = name;
        this.look = look;
    }

    boolean isEnded() {
        return ended;
    }

    @Nullable
    Throwable failure() {
        return failure;
    }

    @Override
    public void subscribe(Flow.Subscriber<? super T> subscriber) {
        below = subscriber;
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
        above = subscription;
        subscriber().onSubscribe(this);
    }

    private Flow.Subscriber<? super T> subscriber() {
        Flow.Subscriber<? super T> subscriber = below;
        if (subscriber == null) {
            throw new IllegalStateException(name + " has no subscriber");
        }
        return subscriber;
    }

    @Override
    public void onNext(T element) {
        enter("onNext of " + element);
        if (++passed > requested) {
            breach("B66 hands on " + element + " as number " + passed + ", " + requested + " were asked for");
        }
        look.accept(element);
        member.pause();
        subscriber().onNext(element);
        inside = false;
    }

    @Override
    public void onError(Throwable cause) {
        enter("onError");
        ended = true;
        failure = cause;
        subscriber().onError(cause);
        inside = false;
    }

    @Override
    public void onComplete() {
        enter("onComplete");
        ended = true;
        subscriber().onComplete();
        inside = false;
    }

    private void enter(String signal) {
        if (inside || ended) {
            breach("B65 calls " + signal + (ended ? " after the end" : " before another call has ended"));
        }
        inside = true;
    }

    private void breach(String what) {
        member.breach(what + ": what is above " + name);
    }

    @Override
    public void request(long elements) {
        requested = requested + elements < 0 ? Long.MAX_VALUE : requested + elements;
        member.pause();
        subscription().request(elements);
    }

    @Override
    public void cancel() {
        subscription().cancel();
    }

    private Flow.Subscription subscription() {
        Flow.Subscription subscription = above;
        if (subscription == null) {
            throw new IllegalStateException(name + " has no subscription");
        }
        return subscription;
    }
}
