package dev.laneway.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.laneway.Health;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Callbacks that throw against the specification: the stream ends with that exception. */
@Timeout(120)
@DisplayName("Callbacks that throw")
class ThrowingCallbacksTest {
    private static final Duration LIMIT = Duration.ofSeconds(40);

    /** What all of them throw. */
    private static final class Told extends IllegalStateException {
        Told() {
            super("told to");
        }
    }

    /** Stages between a source and its end. */
    record Shape(String name, Function<Source<Integer>, Source<?>> stages) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static List<Shape> shapes() {
        return List.of(
                new Shape("no stage", source -> source),
                new Shape("map", source -> source.map(i -> i)),
                new Shape("mapAsync", source -> source.mapAsync(4, CompletableFuture::completedFuture)),
                new Shape("mapAsync on another thread", source -> source.mapAsync(4, ThrowingCallbacksTest::later)),
                new Shape("mapAsyncUnordered", source -> source.mapAsyncUnordered(4, ThrowingCallbacksTest::later)),
                new Shape("mapByKey", source -> source.mapByKey(4, i -> i % 3, i -> i)),
                new Shape("groupedWithin", source -> source.groupedWithin(2, Duration.ofMillis(1))),
                new Shape("via", source -> source.via(new Passing()).via(new Passing())),
                new Shape(
                        "several",
                        source -> source.map(i -> i)
                                .mapAsync(4, ThrowingCallbacksTest::later)
                                .mapByKey(4, i -> i, i -> i)
                                .map(i -> i)));
    }

    private static CompletionStage<Integer> later(Integer element) {
        CompletableFuture<Integer> result = new CompletableFuture<>();
        Thread.startVirtualThread(() -> result.complete(element));
        return result;
    }

    /** Another library's stage: does nothing, catches nothing. */
    private static final class Passing implements Flow.Processor<Integer, Integer> {
        private Flow.@Nullable Subscriber<? super Integer> below;

        @Override
        public void subscribe(Flow.Subscriber<? super Integer> subscriber) {
            below = subscriber;
        }

        @Override
        public void onSubscribe(Flow.Subscription subscription) {
            below.onSubscribe(subscription);
        }

        @Override
        public void onNext(Integer element) {
            below.onNext(element);
        }

        @Override
        public void onError(Throwable failure) {
            below.onError(failure);
        }

        @Override
        public void onComplete() {
            below.onComplete();
        }
    }

    private enum Callback {
        ON_SUBSCRIBE,
        ON_NEXT,
        ON_COMPLETE,
        ON_ERROR,
        REQUEST,
        CANCEL,
        SUBSCRIBE
    }

    /** A publisher that gives 1, 2, 3... on the threads that ask, and may throw. */
    private static final class Counting implements Flow.Publisher<Integer>, Flow.Subscription {
        private final @Nullable Callback throwsIn;
        private final AtomicInteger cancels = new AtomicInteger();
        private final List<Integer> none = new ArrayList<>();
        private Flow.@Nullable Subscriber<? super Integer> subscriber;
        private long wanted;
        private boolean sends;
        private int next = 1;

        Counting(@Nullable Callback throwsIn) {
            this.throwsIn = throwsIn;
        }

        @Override
        public void subscribe(Flow.Subscriber<? super Integer> given) {
            if (throwsIn == Callback.SUBSCRIBE) {
                throw new Told();
            }
            subscriber = given;
            given.onSubscribe(this);
        }

        @Override
        public void request(long elements) {
            if (throwsIn == Callback.REQUEST) {
                throw new Told();
            }
            synchronized (none) {
                wanted += Math.min(elements, 100);
                if (sends) {
                    return;
                }
                sends = true;
            }
            while (true) {
                int element;
                synchronized (none) {
                    if (wanted == 0 || cancels.get() > 0 || next > 100_000) {
                        sends = false;
                        return;
                    }
                    wanted--;
                    element = next++;
                }
                subscriber.onNext(element);
            }
        }

        @Override
        public void cancel() {
            cancels.incrementAndGet();
            if (throwsIn == Callback.CANCEL) {
                throw new Told();
            }
        }
    }

    /** Asks for all, and throws. */
    private static final class Throwing implements Flow.Subscriber<Object> {
        private final Callback throwsIn;
        private final AtomicInteger elements = new AtomicInteger();
        private volatile Flow.@Nullable Subscription subscription;

        Throwing(Callback throwsIn) {
            this.throwsIn = throwsIn;
        }

        private void in(Callback callback) {
            if (throwsIn == callback) {
                throw new Told();
            }
        }

        @Override
        public void onSubscribe(Flow.Subscription given) {
            subscription = given;
            in(Callback.ON_SUBSCRIBE);
            given.request(throwsIn == Callback.CANCEL ? 1 : Long.MAX_VALUE);
        }

        @Override
        public void onNext(Object element) {
            elements.incrementAndGet();
            in(Callback.ON_NEXT);
            if (throwsIn == Callback.CANCEL) {
                subscription.cancel();
            }
        }

        @Override
        public void onError(Throwable failure) {
            in(Callback.ON_ERROR);
        }

        @Override
        public void onComplete() {
            in(Callback.ON_COMPLETE);
        }
    }

    private static Throwable failure(CompletionStage<?> stage) {
        CompletableFuture<?> result = stage.toCompletableFuture();
        await().atMost(LIMIT).until(result::isDone);
        return result.handle((value, thrown) -> thrown instanceof CompletionException ? thrown.getCause() : thrown)
                .join();
    }

    private static void hasFailed(Control control) {
        assertThat(failure(control.completion())).isInstanceOf(Told.class);
        assertThat(control.isShutdown()).isTrue();
        assertThat(control.health().status()).isEqualTo(Health.Status.DOWN);
        assertThat(control.health().reasons().toString()).contains("told to");
    }

    static Stream<Shape> stages() {
        return shapes().stream();
    }

    @ParameterizedTest(name = "B123 onSubscribe of the last subscriber, behind {0}")
    @MethodSource("stages")
    void onSubscribe(Shape shape) {
        Counting above = new Counting(null);
        Control control = shape.stages().apply(Source.from(above)).to(new Throwing(Callback.ON_SUBSCRIBE));
        hasFailed(control);
        await().atMost(LIMIT).until(() -> above.cancels.get() > 0);
    }

    @ParameterizedTest(name = "B123 onNext of the last subscriber, behind {0}")
    @MethodSource("stages")
    void onNext(Shape shape) {
        Counting above = new Counting(null);
        Throwing subscriber = new Throwing(Callback.ON_NEXT);
        Control control = shape.stages().apply(Source.from(above)).to(subscriber);
        hasFailed(control);
        await().atMost(LIMIT).until(() -> above.cancels.get() > 0);
        assertThat(subscriber.elements).as("rule 2.13: it counts as cancelled").hasValue(1);
    }

    @ParameterizedTest(name = "B123 onNext of a subscriber that another library''s way leads to, behind {0}")
    @MethodSource("stages")
    void onNextWithoutTo(Shape shape) {
        Counting above = new Counting(null);
        Source<?> source = shape.stages().apply(Source.from(above));
        source.subscribe(new Throwing(Callback.ON_NEXT));
        hasFailed(source.control());
        await().atMost(LIMIT).until(() -> above.cancels.get() > 0);
    }

    @ParameterizedTest(name = "B123 onNext of a sink whose completion never comes, behind {0}")
    @MethodSource("stages")
    void sink(Shape shape) {
        Counting above = new Counting(null);
        Throwing subscriber = new Throwing(Callback.ON_NEXT);
        Sink<Object> sink = new Sink<>() {
            @Override
            public void onSubscribe(Flow.Subscription subscription) {
                subscriber.onSubscribe(subscription);
            }

            @Override
            public void onNext(Object element) {
                subscriber.onNext(element);
            }

            @Override
            public void onError(Throwable failure) {
                subscriber.onError(failure);
            }

            @Override
            public void onComplete() {
                subscriber.onComplete();
            }

            @Override
            public CompletionStage<@Nullable Void> completion() {
                return new CompletableFuture<>();
            }
        };
        hasFailed(shape.stages().apply(Source.from(above)).to(sink));
        await().atMost(LIMIT).until(() -> above.cancels.get() > 0);
    }

    @ParameterizedTest(name = "B123 onComplete of the last subscriber, behind {0}")
    @MethodSource("stages")
    void onComplete(Shape shape) {
        Source<Integer> source = Source.from(Numbers.to(10));
        hasFailed(shape.stages().apply(source).to(new Throwing(Callback.ON_COMPLETE)));
    }

    @ParameterizedTest(name = "B123 onError of the last subscriber, behind {0}: the first failure counts")
    @MethodSource("stages")
    void onError(Shape shape) {
        HandPublisher<Integer> above = new HandPublisher<>();
        Control control = shape.stages().apply(Source.from(above)).to(new Throwing(Callback.ON_ERROR));
        RuntimeException first = new RuntimeException("told to be the first");
        above.fail(first);
        assertThat(failure(control.completion())).isSameAs(first);
    }

    @ParameterizedTest(name = "B123 subscribe of the publisher, before {0}")
    @MethodSource("stages")
    void subscribe(Shape shape) {
        hasFailed(shape.stages()
                .apply(Source.from(new Counting(Callback.SUBSCRIBE)))
                .run());
    }

    @ParameterizedTest(name = "B123 request of the publisher''s subscription, before {0}")
    @MethodSource("stages")
    void request(Shape shape) {
        Counting above = new Counting(Callback.REQUEST);
        Probe<Object> probe = Probe.asking(Long.MAX_VALUE);
        Control control = shape.stages().apply(Source.from(above)).to(probe);
        hasFailed(control);
        assertThat(above.cancels).hasPositiveValue();
        assertThat(failure(probe.end())).isInstanceOf(Told.class);
        assertThat(probe.violations()).isEmpty();
    }

    @ParameterizedTest(name = "B123 cancel of the publisher''s subscription, before {0}")
    @MethodSource("stages")
    void cancel(Shape shape) {
        Counting above = new Counting(Callback.CANCEL);
        hasFailed(shape.stages().apply(Source.from(above)).to(new Throwing(Callback.CANCEL)));
    }

    static Stream<Shape> functions() {
        return Stream.of(
                new Shape("map", source -> source.map(ThrowingCallbacksTest::told)),
                new Shape("mapAsync", source -> source.mapAsync(4, ThrowingCallbacksTest::toldLater)),
                new Shape("mapAsyncUnordered", source -> source.mapAsyncUnordered(4, ThrowingCallbacksTest::toldLater)),
                new Shape("mapByKey", source -> source.mapByKey(4, i -> i, ThrowingCallbacksTest::told)),
                new Shape("keyOf", source -> source.mapByKey(4, ThrowingCallbacksTest::told, i -> i)),
                new Shape("hashCode of a key", source -> source.mapByKey(4, i -> new Key(), i -> i)),
                new Shape("a stage", source -> source.mapAsync(4, i -> CompletableFuture.failedFuture(new Told()))));
    }

    private static Integer told(Object element) {
        throw new Told();
    }

    private static CompletionStage<Integer> toldLater(Object element) {
        throw new Told();
    }

    /** A key that can be put in and not be found again. */
    private static final class Key {
        private final AtomicInteger asked = new AtomicInteger();

        @Override
        public boolean equals(Object other) {
            return this == other;
        }

        @Override
        public int hashCode() {
            if (asked.incrementAndGet() > 2) {
                throw new Told();
            }
            return 1;
        }
    }

    @ParameterizedTest(name = "B123 a function: {0}")
    @MethodSource("functions")
    void function(Shape shape) {
        Counting above = new Counting(null);
        Source<?> source = shape.stages().apply(Source.from(above));
        Control control = source.to(Probe.asking(Long.MAX_VALUE));
        hasFailed(control);
        hasFailed(source.control());
        await().atMost(LIMIT).until(() -> above.cancels.get() > 0);
    }

    @Test
    @DisplayName("B123 a stage that fails when those above have completed tells the source's control, too")
    void afterTheEnd() {
        HandPublisher<Integer> above = new HandPublisher<>();
        CompletableFuture<Integer> answer = new CompletableFuture<>();
        Source<Integer> source = Source.from(above).mapAsync(4, i -> answer).map(i -> i);
        Control control = source.to(Probe.asking(Long.MAX_VALUE));
        above.send(1);
        above.complete();
        answer.completeExceptionally(new Told());
        assertThat(failure(control.completion())).isInstanceOf(Told.class);
        assertThat(source.control().health().reasons().toString()).contains("told to");
    }
}
