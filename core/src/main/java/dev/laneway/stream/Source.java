package dev.laneway.stream;

import java.util.Objects;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/**
 * A stream of elements for one subscriber, and the {@link Control} over where it comes from. Nothing happens before it
 * is subscribed to. A second subscriber gets an {@link IllegalStateException} by {@code onError}.
 *
 * <p>It has few operators, those that need to know of order and offsets. For anything richer hand it, as the
 * {@link Flow.Publisher} that it is, to a library of streams. Thread-safe.
 */
public final class Source<T> implements Flow.Publisher<T> {
    private final Flow.Publisher<T> publisher;
    private final Control control;
    private final AtomicBoolean subscribed = new AtomicBoolean();

    /** @param publisher is subscribed to at most once */
    Source(Flow.Publisher<T> publisher, Control control) {
        this.publisher = publisher;
        this.control = control;
    }

    /** A stream of another publisher's elements. Its control cancels that publisher's subscription. */
    public static <T> Source<T> from(Flow.Publisher<T> publisher) {
        Valve<T> valve = new Valve<>(Objects.requireNonNull(publisher, "publisher"));
        return new Source<>(valve, valve);
    }

    @Override
    public void subscribe(Flow.Subscriber<? super T> subscriber) {
        Objects.requireNonNull(subscriber, "subscriber");
        if (subscribed.compareAndSet(false, true)) {
            publisher.subscribe(subscriber);
        } else {
            Refusal.to(
                    subscriber,
                    new IllegalStateException(
                            "this source has a subscriber already, and it is for one: make another source"));
        }
    }

    /** Ends what the stream comes from, and tells how it is; for those who subscribe through another library. */
    public Control control() {
        return control;
    }

    /**
     * Leads the stream through a processor, such as one of another library.
     *
     * @param processor has no other publisher and no subscriber yet
     */
    public <R> Source<R> via(Flow.Processor<? super T, R> processor) {
        Objects.requireNonNull(processor, "processor");
        return new Source<>(
                subscriber -> {
                    processor.subscribe(subscriber);
                    subscribe(processor);
                },
                control);
    }

    /** Leads the stream through stages that a function adds, so that they can be kept apart and used again. */
    public <R> Source<R> via(Function<? super Source<T>, Source<R>> stages) {
        return Objects.requireNonNull(stages.apply(this), "the source that the function returns");
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
        if (subscriber instanceof Sink<? super T> sink) {
            subscribe(sink);
            return new RunControl(control, sink.completion());
        }
        Ending<T> ending = new Ending<>(subscriber);
        subscribe(ending);
        return new RunControl(control, ending.completion());
    }
}
