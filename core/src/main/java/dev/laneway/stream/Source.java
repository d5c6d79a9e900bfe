package dev.laneway.stream;

import dev.laneway.ConfigurationException;
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
 * A stream of elements for one subscriber, and the {@link Control} over where it comes from. Nothing happens before it
 * is subscribed to. A second subscriber gets an {@link IllegalStateException} by {@code onError}.
 *
 * <p>It has few operators, those that need to know of order and offsets. For anything richer hand it, as the
 * {@link Flow.Publisher} that it is, to a library of streams. Thread-safe.
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

    /** A stream of another publisher's elements. Its control cancels that publisher's subscription. */
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

    /** Ends what the stream comes from, and tells how it is; for those who subscribe through another library. */
    public Control control() {
        return control;
    }

    // ---------------------------------------------------------------- operators

    /**
     * One element for each, in order.
     *
     * @param mapper quick, since it is called where the stream is; what it throws fails the stream, as does null
     */
    public <R> Source<R> map(Function<? super T, ? extends R> mapper) {
        Objects.requireNonNull(mapper, "mapper");
        return new Source<>(subscriber -> subscribe(new MappingStage<>(mapper, subscriber, control)), control);
    }

    /**
     * One element for each, in order, by calls that answer later: up to {@code parallelism} of them at once, those that
     * have answered and wait for their turn included. A call that fails fails the stream in its turn: what precedes it
     * goes down first. When the stream is cancelled, so are the calls.
     *
     * @param parallelism how many elements are under way, at least 1
     * @param mapper answers with a stage; null, thrown or within, fails the stream
     */
    public <R> Source<R> mapAsync(int parallelism, Function<? super T, ? extends CompletionStage<R>> mapper) {
        atLeastOne("parallelism", parallelism);
        Objects.requireNonNull(mapper, "mapper");
        return through(() -> new AsyncMapping<>(parallelism, mapper));
    }

    /**
     * As {@link #mapAsync}, each answer as soon as it comes: a slow call holds up no other. A call that fails fails the
     * stream at once.
     *
     * @param parallelism how many elements are under way, at least 1
     * @param mapper answers with a stage; null, thrown or within, fails the stream
     */
    public <R> Source<R> mapAsyncUnordered(int parallelism, Function<? super T, ? extends CompletionStage<R>> mapper) {
        atLeastOne("parallelism", parallelism);
        Objects.requireNonNull(mapper, "mapper");
        return through(() -> new UnorderedMapping<>(parallelism, mapper));
    }

    /**
     * As {@link #mapByKey(int, int, Function, BlockingFunction)}, with a reserve of 32 elements for each call.
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
     * One element for each, by a function that may wait: elements of one key one after the other and in order, those of
     * different keys at the same time. The results of a key are in order, too; those of different keys come as they
     * come. A call that fails fails the stream at once. When the stream ends early, calls are interrupted.
     *
     * @param parallelism how many calls run at once, each on a virtual thread, at least 1
     * @param reserve how many elements may be held, those that wait behind their key and those that nobody has taken
     *     yet included, at least {@code parallelism}. With K keys, only K·reserve/(K+reserve-1) of them are among so
     *     many elements on average, and no more calls can run
     * @param keyOf quick; null is a key like any other; keys need {@code equals} and {@code hashCode}
     * @param function may wait, and throw; null fails the stream
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
     * Lists of elements, in order: a list goes down when it has {@code size} elements, when {@code time} has passed
     * since its first one, and when the stream completes. No list is empty. While nobody asks for a list whose time has
     * passed, it goes on to fill.
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
     * Leads the stream through a processor, such as one of another library.
     *
     * @param processor has no other publisher and no subscriber yet
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

    /** Leads the stream through stages that a function adds, so that they can be kept apart and used again. */
    public <R> Source<R> via(Function<? super Source<T>, Source<R>> stages) {
        return Objects.requireNonNull(stages.apply(this), "the source that the function returns");
    }

    /** Runs the stream for what its stages do, and looks at nothing but its end. */
    public Control run() {
        return to(new DrainSink<>());
    }

    /**
     * Runs the stream into a subscriber.
     *
     * @param subscriber where it ends. Of a {@link Sink} the result counts; any other subscriber is through when it has
     *     taken the stream's end, or has cancelled
     * @return the control of the whole: its completion is that of the source and of the subscriber
     */
    public Control to(Flow.Subscriber<? super T> subscriber) {
        Objects.requireNonNull(subscriber, "subscriber");
        if (subscriber instanceof CompositeSink<? super T> head) {
            head.within(control);
            return run(head);
        }
        return run(subscriber instanceof DrainSink<? super T> nobody ? nobody : new EndObserver<T>(subscriber));
    }

    private Control run(Sink<? super T> sink) {
        RunControl running = new RunControl(control, sink.completion(), SystemStreamTimer.REAL);
        subscribe(sink);
        return running;
    }
}
