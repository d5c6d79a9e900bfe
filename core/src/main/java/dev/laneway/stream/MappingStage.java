package dev.laneway.stream;

import java.util.Objects;
import java.util.concurrent.Flow;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** {@link Source#map}: holds nothing, so demand and signals go straight through, on the calling thread. */
final class MappingStage<T, R> implements Flow.Subscriber<T>, Flow.Subscription {
    private static final Logger log = LoggerFactory.getLogger(MappingStage.class);

    private final Function<? super T, ? extends R> mapper;
    /** The control of the source; null if the stage is not part of a source's stream. */
    private final @Nullable SourceControl control;
    /** Null after the end. */
    private volatile Flow.@Nullable Subscriber<? super R> downstream;

    private volatile Flow.@Nullable Subscription upstream;

    MappingStage(Function<? super T, ? extends R> mapper, Flow.Subscriber<? super R> downstream) {
        this(mapper, downstream, null);
    }

    /** @param control hears of failures */
    MappingStage(
            Function<? super T, ? extends R> mapper,
            Flow.Subscriber<? super R> downstream,
            @Nullable SourceControl control) {
        this.mapper = mapper;
        this.downstream = downstream;
        this.control = control;
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
        try {
            below.onSubscribe(this);
        } catch (Throwable thrown) {
            broken(thrown);
        }
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
            tell(thrown); // First: a cancelled source would report a clean end.
            cancel();
            end(below, thrown);
            return;
        }
        try {
            below.onNext(mapped);
        } catch (Throwable thrown) {
            broken(thrown);
        }
    }

    /** The subscriber has thrown: by rule 2.13 it counts as cancelled. */
    private void broken(Throwable thrown) {
        if (!tell(thrown)) {
            log.error(
                    "a subscriber threw, against rule 2.13 of Reactive Streams; the stream ends: mend the subscriber",
                    thrown);
        }
        cancel();
    }

    private boolean tell(Throwable cause) {
        if (control != null) {
            control.failed(cause);
        }
        return control != null;
    }

    private void end(Flow.Subscriber<? super R> below, Throwable cause) {
        try {
            below.onError(cause);
        } catch (Throwable thrown) {
            broken(thrown);
        }
    }

    @Override
    public void onError(Throwable cause) {
        Objects.requireNonNull(cause, "cause");
        Flow.Subscriber<? super R> below = downstream;
        if (below != null) {
            downstream = null;
            end(below, cause);
        }
    }

    @Override
    public void onComplete() {
        Flow.Subscriber<? super R> below = downstream;
        if (below != null) {
            downstream = null;
            try {
                below.onComplete();
            } catch (Throwable thrown) {
                broken(thrown);
            }
        }
    }

    @Override
    public void request(long elements) {
        Flow.Subscription above = upstream;
        if (above != null) {
            // The publisher refuses a request that is not positive, and its error passes through here.
            try {
                above.request(elements);
            } catch (Throwable thrown) { // Against rule 3.16; another library's.
                broken(thrown);
            }
        }
    }

    @Override
    public void cancel() {
        Flow.Subscription above = upstream;
        downstream = null;
        if (above != null) {
            try {
                above.cancel();
            } catch (Throwable thrown) { // Against rule 3.15; another library's.
                tell(thrown);
            }
        }
    }
}
