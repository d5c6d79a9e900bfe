package dev.laneway.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.laneway.Health;
import dev.laneway.StreamException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A source of another publisher: one subscriber, a control, and the way into a sink. */
@Timeout(30)
class SourceTest {
    /** A publisher whose every signal a test sends by hand. */
    private static final class Hand implements Flow.Publisher<Integer>, Flow.Subscription {
        final List<String> told = new ArrayList<>();
        Flow.Subscriber<? super Integer> subscriber;

        @Override
        public void subscribe(Flow.Subscriber<? super Integer> given) {
            subscriber = given;
            given.onSubscribe(this);
        }

        @Override
        public void request(long elements) {
            told.add("request " + elements);
        }

        @Override
        public void cancel() {
            told.add("cancel");
        }
    }

    /** A sink that a test ends by hand. */
    private static final class HandSink implements Sink<Integer> {
        final CompletableFuture<Void> completion = new CompletableFuture<>();

        @Override
        public void onSubscribe(Flow.Subscription subscription) {
            subscription.request(Long.MAX_VALUE);
        }

        @Override
        public void onNext(Integer element) {}

        @Override
        public void onError(Throwable failure) {}

        @Override
        public void onComplete() {}

        @Override
        public CompletionStage<Void> completion() {
            return completion;
        }
    }

    private final Hand hand = new Hand();
    private final Source<Integer> source = Source.from(hand);

    @Test
    @DisplayName("B66 demand goes up, elements come down, a cancellation releases the publisher")
    void passesOn() {
        Probe<Integer> probe = Probe.asking(2);
        source.subscribe(probe);
        hand.subscriber.onNext(1);
        hand.subscriber.onNext(2);
        probe.cancel();
        hand.subscriber.onNext(3);

        assertThat(hand.told).containsExactly("request 2", "cancel");
        assertThat(probe.elements()).containsExactly(1, 2);
        assertThat(source.control().isShutdown()).isTrue();
        assertThat(source.control().completion()).isCompleted();
    }

    @Test
    @DisplayName("B66 a second subscriber is refused by onError, and the first one goes on")
    void oneSubscriber() {
        Probe<Integer> first = Probe.asking(1);
        source.subscribe(first);
        Probe<Integer> second = Probe.asking(1);
        source.subscribe(second);
        hand.subscriber.onNext(1);

        assertThatThrownBy(second.end()::join).hasCauseInstanceOf(IllegalStateException.class);
        assertThat(second.violations()).isEmpty();
        assertThat(first.elements()).containsExactly(1);
        assertThatThrownBy(() -> source.subscribe(null)).isInstanceOf(NullPointerException.class);
    }

    @Test
    @DisplayName("B72 stop cancels the publisher and completes the stream, once")
    void stop() {
        Probe<Integer> probe = Probe.asking(1);
        source.subscribe(probe);
        assertThat(source.control().health().status()).isEqualTo(Health.Status.UP);
        source.control().stop();
        source.control().stop();
        hand.subscriber.onNext(1);
        hand.subscriber.onComplete();

        assertThat(hand.told).containsExactly("request 1", "cancel");
        assertThat(probe.end()).isCompleted();
        assertThat(probe.elements()).isEmpty();
        assertThat(probe.violations()).isEmpty();
        assertThat(source.control().health().status()).isEqualTo(Health.Status.DOWN);
    }

    @Test
    @DisplayName("B72 a stop while an element is taken completes the stream behind that element")
    void stopInside() {
        List<String> seen = new ArrayList<>();
        Probe<Integer> probe = new Probe<>(2, element -> {
            source.control().stop();
            seen.add("taken");
        });
        var _ = probe.end().thenRun(() -> seen.add("end"));
        source.subscribe(probe);
        hand.subscriber.onNext(1);

        assertThat(seen).containsExactly("taken", "end");
        assertThat(probe.violations()).isEmpty();
    }

    @Test
    @DisplayName("B72 what a publisher sends on from the request in which the stop came is not passed on")
    void stopInsideRequest() {
        Source<Integer> eager = Source.from(subscriber -> subscriber.onSubscribe(new Flow.Subscription() {
            @Override
            public void request(long elements) {
                for (int i = 0; i < elements; i++) {
                    subscriber.onNext(i);
                }
            }

            @Override
            public void cancel() {} // By rule 2.8 elements may come for a while after it.
        }));
        Probe<Integer> probe = new Probe<>(3, element -> eager.control().stop());
        eager.subscribe(probe);

        assertThat(probe.elements()).containsExactly(0);
        assertThat(probe.end()).isCompleted();
    }

    @Test
    @DisplayName("B72 a stop before anybody subscribes: the subscriber is told that there is nothing")
    void stopBefore() {
        source.control().stop();
        Probe<Integer> probe = Probe.asking(1);
        source.subscribe(probe);

        assertThat(probe.end()).isCompleted();
        assertThat(hand.told).contains("cancel");
    }

    @Test
    @DisplayName("B72 a stream into a sink ends when the sink is through, with the sink's failure")
    void intoSink() {
        HandSink sink = new HandSink();
        Control control = source.to(sink);
        CompletableFuture<Void> drained =
                control.drainAndShutdown(Duration.ofMinutes(1)).toCompletableFuture();
        assertThat(drained).isNotDone();
        assertThat(control.isShutdown()).isFalse();
        IllegalStateException failure = new IllegalStateException("the disk is full");
        sink.completion.completeExceptionally(failure);

        assertThatThrownBy(drained::join).hasCause(failure);
        assertThatThrownBy(control.completion().toCompletableFuture()::join).hasCause(failure);
        assertThat(control.isShutdown()).isTrue();
    }

    @Test
    @DisplayName("B72 B127 a drain that is not through within its limit fails and says so, and the stream has ended")
    void drainLimit() {
        Control control = source.to(new HandSink());

        assertThatThrownBy(control.drainAndShutdown(Duration.ofMillis(1)).toCompletableFuture()::join)
                .hasCauseInstanceOf(StreamException.class)
                .hasMessageContaining("drain limit PT0.001S");
        assertThat(control.isShutdown()).isTrue();
    }

    @Test
    @DisplayName("B72 any other subscriber is through with the stream's end, and a failed stream fails the whole")
    void intoSubscriber() {
        Probe<Integer> probe = Probe.asking(1);
        Control control = source.to(probe);
        IllegalStateException failure = new IllegalStateException("gone");
        hand.subscriber.onError(failure);

        assertThatThrownBy(control.completion().toCompletableFuture()::join).hasCause(failure);
        assertThatThrownBy(probe.end()::join).hasCause(failure);
        assertThatThrownBy(source.control().completion().toCompletableFuture()::join)
                .hasCause(failure);
    }

    /** Doubles each element. */
    private static final class Doubling implements Flow.Processor<Integer, Integer> {
        private Flow.Subscriber<? super Integer> next;

        @Override
        public void subscribe(Flow.Subscriber<? super Integer> subscriber) {
            next = subscriber;
        }

        @Override
        public void onSubscribe(Flow.Subscription subscription) {
            next.onSubscribe(subscription);
        }

        @Override
        public void onNext(Integer element) {
            next.onNext(2 * element);
        }

        @Override
        public void onError(Throwable failure) {
            next.onError(failure);
        }

        @Override
        public void onComplete() {
            next.onComplete();
        }
    }

    @Test
    @DisplayName("a processor, or a function that adds stages, changes the elements and keeps the control")
    void via() {
        Source<Integer> fourfold = source.via(new Doubling()).via(doubled -> doubled.via(new Doubling()));
        Probe<Integer> probe = Probe.asking(1);
        fourfold.subscribe(probe);
        hand.subscriber.onNext(3);
        fourfold.control().stop();

        assertThat(probe.elements()).containsExactly(12);
        assertThat(probe.end()).isCompleted();
        assertThat(hand.told).containsExactly("request 1", "cancel");
    }
}
