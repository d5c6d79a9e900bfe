package dev.laneway.stream;

import java.util.Objects;
import java.util.concurrent.Flow;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * {@link Source#map}: one element for each. Holds nothing, so demand and signals go straight through, on the thread
 * that brings them.
 */
final class Mapping<T, R> implements Flow.Subscriber<T>, Flow.Subscription {
    private final Function<? super T, ? extends R> mapper;
    /** Null after the end. */
    private volatile Flow.@Nullable Subscriber<? super R> downstream;

    private volatile Flow.@Nullable Subscription upstream;

    Mapping(Function<? super T, ? extends R> mapper, Flow.Subscriber<? super R> downstream) {
        this.mapper = mapper;
        this.downstream = downstream;
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
        Objects.requireNonNull(subscription, "subscription");
        Flow.Subscriber<? super R> below = downstream;
        if (upstream != null || below == null) {
            subscription.cancel();
            return;
        }
        upstream = subscription;
        below.onSubscribe(this);
    }

    @Override
    public void onNext(T element) {
        Objects.requireNonNull(element, "element");
        Flow.Subscriber<? super R> below = downstream;
        if (below == null) {
            return;
        }
        R mapped;
        try {
            mapped =
                    Objects.requireNonNull(mapper.apply(element), "map's function returned null; streams have no null");
        } catch (Throwable thrown) {
            cancel();
            below.onError(thrown);
            return;
        }
        below.onNext(mapped);
    }

    @Override
    public void onError(Throwable cause) {
        Objects.requireNonNull(cause, "cause");
        Flow.Subscriber<? super R> below = downstream;
        if (below != null) {
            downstream = null;
            below.onError(cause);
        }
    }

    @Override
    public void onComplete() {
        Flow.Subscriber<? super R> below = downstream;
        if (below != null) {
            downstream = null;
            below.onComplete();
        }
    }

    @Override
    public void request(long elements) {
        Flow.Subscription above = upstream;
        if (above != null) {
            // A request that is not positive is refused by the publisher, and its refusal comes through here.
            above.request(elements);
        }
    }

    @Override
    public void cancel() {
        Flow.Subscription above = upstream;
        downstream = null;
        if (above != null) {
            above.cancel();
        }
    }
}
