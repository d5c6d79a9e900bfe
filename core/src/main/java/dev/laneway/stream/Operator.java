package dev.laneway.stream;

import java.util.Objects;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A processor for one upstream and one subscriber, which may be connected in either order.
 *
 * <p><b>The drain.</b> Each event, from upstream, downstream or a thread of the operator, is noted in a field or queue
 * and then {@link #signal signalled}. A counter of signals lets one thread at a time handle them: the first runs
 * {@link #step}, and again for signals that came meanwhile; the others return at once. So {@code step} is
 * single-threaded and may use plain fields, downstream gets one signal at a time, and calls in both directions do not
 * recurse.
 *
 * <p>Failures from upstream and of {@link #abort} are emitted before what is held; {@link #fail} emits one in its
 * place. Thread-safe, as far as the specification lets several threads call.
 */
abstract class Operator<T, R> implements Flow.Processor<T, R>, Flow.Subscription {
    private static final Logger log = LoggerFactory.getLogger(Operator.class);

    private final AtomicInteger news = new AtomicInteger();
    private final AtomicReference<Flow.@Nullable Subscription> upstream = new AtomicReference<>();
    private final AtomicBoolean claimed = new AtomicBoolean();
    private final AtomicLong requested = new AtomicLong();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private volatile Flow.@Nullable Subscriber<? super R> downstream;
    private volatile boolean completed;
    /** The upstream subscription must not be called any more (rule 2.4). */
    private volatile boolean upstreamOver;

    private volatile boolean cancelled;
    /** The control of the source; null if the stage is not part of a source's stream. */
    private volatile @Nullable SourceControl control;

    /** Written by the drain only. */
    private volatile boolean ended;

    // Only the drain touches these.
    private long emitted;
    private boolean started;

    /**
     * Makes this a stage of the stream with this control, which hears of its failures. Called before it is subscribed
     * to.
     */
    final void within(SourceControl streams) {
        control = streams;
        streams.pipeline().add(this);
    }

    // ---------------------------------------------------------------- what subclasses say

    /** Requests the first elements. Called once, by the drain, when upstream and downstream are connected. */
    abstract void start();

    /** Does what can be done now. Called by the drain for each signal, after {@link #start} and until the end. */
    abstract void step();

    /** Releases everything held. Called once, by the drain, at any end. */
    abstract void release();

    /** Why it can take no more for now, in words; empty where it can. Any thread; must not wait, and may be late. */
    String fullness() {
        return "";
    }

    /** Runs the drain; by default on the thread that signalled. */
    void run(Runnable drain) {
        drain.run();
    }

    // ---------------------------------------------------------------- what subclasses ask

    /** Makes the drain run {@link #step}. Any thread. */
    final void signal() {
        if (news.getAndIncrement() == 0) {
            run(this::drain);
        }
    }

    /** As {@link #signal}, but the drain runs on the calling thread. */
    final void signalHere() {
        if (news.getAndIncrement() == 0) {
            drain();
        }
    }

    /** Ends the stream with a failure, before what is held. Any thread; the first failure counts. */
    final void abort(Throwable cause) {
        failure.compareAndSet(null, cause);
        signal();
    }

    /** Whether an element may be emitted now. The drain only. */
    final boolean hasDemand() {
        return !isOver() && emitted < requested.get();
    }

    /** Whether the stream has ended, or is about to. Any thread. */
    final boolean isOver() {
        return ended || cancelled || failure.get() != null;
    }

    /** Whether upstream has completed. Check this before checking whether the queue of arrivals is empty. */
    final boolean isCompleted() {
        return completed;
    }

    /** How many elements may be emitted now. The drain only. */
    final long demand() {
        return isOver() ? 0 : requested.get() - emitted;
    }

    /** Emits an element; there must be demand. The drain only. */
    final void emit(R element) {
        Flow.Subscriber<? super R> below = downstream;
        if (below == null) {
            return;
        }
        emitted++;
        try {
            below.onNext(element);
        } catch (Throwable thrown) {
            brokenSubscriber("onNext", thrown);
        }
    }

    /** Requests more from upstream. The drain only. */
    final void pull(long elements) {
        Flow.Subscription above = upstream.get();
        if (above != null && !isOver() && !upstreamOver && elements > 0) {
            above.request(elements);
        }
    }

    /** Completes the stream. The drain only. */
    final void complete() {
        Flow.Subscriber<? super R> below = end();
        if (below != null) {
            try {
                below.onComplete();
            } catch (Throwable thrown) {
                brokenSubscriber("onComplete", thrown);
            }
        }
    }

    /** Fails the stream. The drain only. */
    final void fail(Throwable cause) {
        tell(cause); // First: a cancelled source would report a clean end.
        Flow.Subscriber<? super R> below = end();
        if (below != null) {
            try {
                below.onError(cause);
            } catch (Throwable thrown) {
                brokenSubscriber("onError", thrown);
            }
        }
    }

    /** Whether a frequent event should be logged: the 1st, 2nd, 4th, 8th... */
    static boolean isRare(long count) {
        return Long.bitCount(count) == 1;
    }

    // ---------------------------------------------------------------- the drain

    private void drain() {
        int worked = 1;
        do {
            turn();
            worked = news.addAndGet(-worked);
        } while (worked != 0);
    }

    private void turn() {
        if (!ended && cancelled) {
            end();
        }
        if (ended) {
            // Upstream and downstream may have connected after the end.
            cancelUpstream();
            downstream = null;
            return;
        }
        if (downstream == null) {
            return;
        }
        Flow.Subscription above = upstream.get();
        Throwable cause = failure.get();
        if (cause != null) {
            fail(cause);
        } else if (above != null) {
            try {
                if (!started) {
                    started = true;
                    start();
                }
                step();
            } catch (Throwable thrown) {
                // Thrown by a function of the user's or by a bug here; what the subscriber throws is caught where it is
                // called.
                if (!ended) {
                    fail(thrown);
                }
            }
        }
    }

    /**
     * Ends: drops all references and cancels upstream. Returns the subscriber that must hear of the end, if there is
     * one.
     */
    private Flow.@Nullable Subscriber<? super R> end() {
        if (ended) {
            return null;
        }
        ended = true;
        Flow.Subscriber<? super R> below = cancelled ? null : downstream;
        cancelUpstream();
        try {
            release();
        } catch (Throwable thrown) {
            log.error("a stage of a stream could not let go of what it held", thrown);
        }
        downstream = null;
        SourceControl streams = control;
        if (streams != null) {
            streams.pipeline().remove(this);
        }
        return below;
    }

    private void cancelUpstream() {
        Flow.Subscription above = upstream.get();
        if (above != null && !upstreamOver) {
            upstreamOver = true;
            try {
                above.cancel();
            } catch (Throwable thrown) {
                broken("cancel of a subscription threw, against rule 3.15", thrown);
            }
        }
    }

    /** By rule 2.13 a subscriber that throws counts as cancelled. */
    private void brokenSubscriber(String method, Throwable thrown) {
        broken(method + " of a subscriber threw, against rule 2.13", thrown);
        cancelled = true;
        signal();
    }

    private void broken(String what, Throwable thrown) {
        if (!tell(thrown)) {
            log.error("{} of Reactive Streams; the stream ends: mend it", what, thrown);
        }
    }

    /** Tells the control of the stream of a failure; false if there is none. */
    private boolean tell(Throwable cause) {
        SourceControl streams = control;
        if (streams != null) {
            streams.failed(cause);
        }
        return streams != null;
    }

    // ---------------------------------------------------------------- from above

    @Override
    public final void onSubscribe(Flow.Subscription subscription) {
        Objects.requireNonNull(subscription, "subscription");
        if (upstream.compareAndSet(null, subscription)) {
            signal();
        } else {
            subscription.cancel();
        }
    }

    @Override
    public final void onError(Throwable cause) {
        Objects.requireNonNull(cause, "cause");
        upstreamOver = true;
        abort(cause);
    }

    @Override
    public final void onComplete() {
        upstreamOver = true;
        completed = true;
        signal();
    }

    // ---------------------------------------------------------------- from below

    @Override
    public final void subscribe(Flow.Subscriber<? super R> subscriber) {
        Objects.requireNonNull(subscriber, "subscriber");
        if (!claimed.compareAndSet(false, true)) {
            SubscriptionRefusal.to(
                    subscriber,
                    new IllegalStateException(
                            "this stream has its subscriber already, and is for one only: make another stream for"
                                    + " another subscriber"));
            return;
        }
        try {
            subscriber.onSubscribe(this);
        } catch (Throwable thrown) {
            brokenSubscriber("onSubscribe", thrown);
            return;
        }
        downstream = subscriber;
        signal();
    }

    @Override
    public final void request(long elements) {
        if (elements <= 0) {
            abort(new IllegalArgumentException(
                    "request(" + elements + ") must be positive, by rule 3.9 of Reactive Streams"));
            return;
        }
        requested.getAndUpdate(before -> before + elements < 0 ? Long.MAX_VALUE : before + elements);
        signal();
    }

    @Override
    public final void cancel() {
        cancelled = true;
        signal();
    }
}
