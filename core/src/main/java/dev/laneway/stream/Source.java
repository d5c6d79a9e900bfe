package dev.laneway.stream;

import dev.laneway.ConfigurationException;
import dev.laneway.stream.runtime.StageRuntime;
import dev.laneway.stream.runtime.SystemStreamTimer;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A stream of elements for one subscriber, with the {@link Control} of its origin. Nothing happens before it is
 * subscribed to. A second subscriber gets an {@link IllegalStateException} by {@code onError}.
 *
 * <p>It has only the operators that keep order and offsets. For others pass it, as a {@link Flow.Publisher}, to a
 * stream library. Thread-safe.
 */
public final class Source<T> implements Flow.Publisher<T> {
    private static final long RESERVE_PER_CALL = 32;
    private static final int MOST_RESERVE = 2_000_000;
    private static final Duration LONGEST = Duration.ofDays(36_500);

    private final Flow.Publisher<T> publisher;
    private final SourceControl control;
    private final AtomicBoolean subscribed = new AtomicBoolean();

    /** @param publisher is subscribed to at most once */
    Source(Flow.Publisher<T> publisher, SourceControl control) {
        this.publisher = publisher;
        this.control = control;
    }

    /** A stream of another publisher's elements. Stopping its control cancels that publisher's subscription. */
    public static <T> Source<T> from(Flow.Publisher<T> publisher) {
        PublisherControl<T> valve = new PublisherControl<>(Objects.requireNonNull(publisher, "publisher"));
        return new Source<>(valve, valve);
    }

    @Override
    public void subscribe(Flow.Subscriber<? super T> subscriber) {
        Objects.requireNonNull(subscriber, "subscriber");
        if (subscribed.compareAndSet(false, true)) {
            publisher.subscribe(subscriber);
        } else {
            SubscriptionRefusal.to(
                    subscriber,
                    new IllegalStateException(
                            "this source has a subscriber already, and it is for one: make another source"));
        }
    }

    /** The control of the origin of the stream, for subscribers of another library. */
    public Control control() {
        return control;
    }

    // ---------------------------------------------------------------- operators

    /**
     * One element for each, in order.
     *
     * @param mapper must not block, since it runs on the stream's thread; an exception or null fails the stream
     */
    public <R> Source<R> map(Function<? super T, ? extends R> mapper) {
        Objects.requireNonNull(mapper, "mapper");
        return new Source<>(subscriber -> subscribe(new MappingStage<>(mapper, subscriber, control)), control);
    }

    /**
     * One element for each, in order, by asynchronous calls, of which at most {@code parallelism} run or wait for an
     * earlier one. A failed call fails the stream, after the results before it. When the stream is cancelled, so are
     * the calls.
     *
     * @param parallelism how many elements are requested, running or waiting, at least 1
     * @param mapper returns a stage; an exception, a null stage or a null result fails the stream
     */
    public <R> Source<R> mapAsync(int parallelism, Function<? super T, ? extends CompletionStage<R>> mapper) {
        atLeastOne("parallelism", parallelism);
        Objects.requireNonNull(mapper, "mapper");
        return through(() -> new AsyncMapping<>(parallelism, mapper));
    }

    /**
     * As {@link #mapAsync}, but each result is emitted as soon as it is there: a slow call delays no other. A failed
     * call fails the stream at once.
     *
     * @param parallelism how many elements are requested or running, at least 1
     * @param mapper returns a stage; an exception, a null stage or a null result fails the stream
     */
    public <R> Source<R> mapAsyncUnordered(int parallelism, Function<? super T, ? extends CompletionStage<R>> mapper) {
        atLeastOne("parallelism", parallelism);
        Objects.requireNonNull(mapper, "mapper");
        return through(() -> new UnorderedMapping<>(parallelism, mapper));
    }

    /**
     * As {@link #mapByKey(int, int, Function, BlockingFunction)}, with a reserve of 32 elements per call.
     *
     * @param parallelism how many calls run at once, at least 1
     */
    public <K extends @Nullable Object, R> Source<R> mapByKey(
            int parallelism,
            Function<? super T, ? extends K> keyOf,
            BlockingFunction<? super T, ? extends R> function) {
        atLeastOne("parallelism", parallelism);
        return mapByKey(parallelism, (int) Math.min(MOST_RESERVE, RESERVE_PER_CALL * parallelism), keyOf, function);
    }

    /**
     * One element for each, by a function that may block: elements of one key run one after the other, in order, those
     * of different keys at the same time. The results of a key are in order; those of different keys are not. A failed
     * call fails the stream at once. If the stream ends early, calls are interrupted.
     *
     * @param parallelism how many calls run at once, each on a virtual thread, at least 1
     * @param reserve how many elements may be held, at least {@code parallelism}: those that wait behind their key, and
     *     results without demand. A reserve contains only K·reserve/(K+reserve-1) of K keys on average, and no more
     *     calls can run
     * @param keyOf must not block; null is a key like any other; keys need {@code equals} and {@code hashCode}
     * @param function may block; an exception or null fails the stream
     */
    public <K extends @Nullable Object, R> Source<R> mapByKey(
            int parallelism,
            int reserve,
            Function<? super T, ? extends K> keyOf,
            BlockingFunction<? super T, ? extends R> function) {
        atLeastOne("parallelism", parallelism);
        Objects.requireNonNull(keyOf, "keyOf");
        Objects.requireNonNull(function, "function");
        if (reserve < parallelism) {
            throw new ConfigurationException(
                    "reserve",
                    reserve,
                    "must be at least parallelism, " + parallelism,
                    "raise it, 32 for each call, say");
        }
        return through(() -> new KeyedMapping<T, K, R>(
                parallelism, reserve, keyOf, function, StageRuntime.virtual("laneway-mapByKey")));
    }

    /**
     * Lists of elements, in order: a list is emitted when it has {@code size} elements, when {@code time} has passed
     * since its first one, and when the stream completes. No list is empty. Without demand a list whose time has passed
     * goes on to fill.
     *
     * @param size the most elements of a list, at least 1
     * @param time the longest that an element waits for others, positive
     */
    public Source<List<T>> groupedWithin(int size, Duration time) {
        atLeastOne("size", size);
        if (time.isNegative() || time.isZero() || time.compareTo(LONGEST) > 0) {
            throw new ConfigurationException(
                    "time", time, "must be positive and at most " + LONGEST, "give the time that an element may wait");
        }
        return through(() -> new GroupingStage<>(size, time.toNanos(), SystemStreamTimer.REAL));
    }

    private <R> Source<R> through(Supplier<Operator<T, R>> stage) {
        return new Source<>(
                subscriber -> {
                    Operator<T, R> operator = stage.get();
                    operator.within(control);
                    operator.subscribe(subscriber);
                    subscribe(operator);
                },
                control);
    }

    private static void atLeastOne(String option, int value) {
        if (value < 1) {
            throw new ConfigurationException(option, value, "must be at least 1", "raise it");
        }
    }

    // ---------------------------------------------------------------- stages of others, and the end

    /**
     * Passes the stream through a processor, such as one of another library.
     *
     * @param processor must have no other publisher and no subscriber
     */
    public <R> Source<R> via(Flow.Processor<? super T, R> processor) {
        Objects.requireNonNull(processor, "processor");
        return new Source<>(
                subscriber -> {
                    if (processor instanceof Operator<?, ?> operator) {
                        operator.within(control);
                    }
                    processor.subscribe(subscriber);
                    subscribe(processor);
                },
                control);
    }

    /** Passes the stream through the stages that a function adds. */
    public <R> Source<R> via(Function<? super Source<T>, Source<R>> stages) {
        return Objects.requireNonNull(stages.apply(this), "the source that the function returns");
    }

    /** Runs the stream and drops its elements. */
    public Control run() {
        return to(new DrainSink<>());
    }

    /**
     * Runs the stream into a subscriber.
     *
     * @param subscriber the end of the stream. A {@link Sink} has ended when its result is complete; any other
     *     subscriber when it has received the end or has cancelled
     * @return the control of the whole stream; it completes when source and subscriber have ended
     */
    public Control to(Flow.Subscriber<? super T> subscriber) {
        Objects.requireNonNull(subscriber, "subscriber");
        if (subscriber instanceof CompositeSink<? super T> head) {
            head.within(control);
            return run(head);
        }
        return run(subscriber instanceof DrainSink<? super T> drain ? drain : new EndObserver<T>(subscriber));
    }

    private Control run(Sink<? super T> sink) {
        RunControl running = new RunControl(control, sink.completion(), SystemStreamTimer.REAL);
        subscribe(sink);
        return running;
    }
}
