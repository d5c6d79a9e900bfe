package dev.laneway.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What every stage has in common: demand, ends, and misuse by upstream and downstream. */
@Timeout(30)
class OperatorTest {
    /** The least that a stage can be: holds two, changes nothing. */
    private static final class Passing extends Operator<Integer, Integer> {
        final Queue<Integer> held = new ArrayDeque<>();
        int releases;

        @Override
        public void onNext(Integer element) {
            held.add(element);
            signal();
        }

        @Override
        void start() {
            pull(2);
        }

        @Override
        void step() {
            boolean last = isCompleted();
            while (!held.isEmpty() && hasDemand()) {
                emit(held.remove());
                pull(1);
            }
            if (last && held.isEmpty() && !isOver()) {
                complete();
            }
        }

        @Override
        void release() {
            releases++;
            held.clear();
        }
    }

    private final HandPublisher<Integer> above = new HandPublisher<>();
    private final Passing stage = new Passing();

    @Test
    @DisplayName("B66 nothing is asked for before there is a subscriber, and elements go down as they are asked for")
    void demand() {
        above.subscribe(stage);
        assertThat(above.requested()).isZero();
        Probe<Integer> probe = Probe.asking(0);
        stage.subscribe(probe);
        assertThat(above.requested()).isEqualTo(2);
        above.send(1);
        above.send(2);
        assertThat(probe.elements()).isEmpty();
        probe.request(1);
        assertThat(probe.elements()).containsExactly(1);
        assertThat(above.requested()).isEqualTo(3);
        probe.request(5);
        assertThat(probe.elements()).containsExactly(1, 2);
        above.complete();
        assertThat(probe.end()).isCompleted();
        assertThat(probe.violations()).isEmpty();
        assertThat(above.isCancelled()).as("rule 2.4").isFalse();
    }

    @Test
    @DisplayName("B66 the subscriber may come first, and demand that came before the publisher counts")
    void subscriberFirst() {
        Probe<Integer> probe = Probe.asking(1);
        stage.subscribe(probe);
        above.subscribe(stage);
        above.send(1);
        assertThat(probe.elements()).containsExactly(1);
    }

    @Test
    @DisplayName("B66 an end that came before the subscriber is not forgotten")
    void endFirst() {
        above.subscribe(stage);
        above.complete();
        Probe<Integer> probe = Probe.asking(0);
        stage.subscribe(probe);
        assertThat(probe.end()).isCompleted();

        Passing failed = new Passing();
        SubscriptionRefusal.to(failed, new IllegalStateException("told to"));
        Probe<Integer> other = Probe.asking(0);
        failed.subscribe(other);
        assertThat(other.end()).isCompletedExceptionally();
    }

    @Test
    @DisplayName("B66 requests add up to no limit at all, also where their sum is too large for a number")
    void unbounded() {
        above.subscribe(stage);
        Probe<Integer> probe = Probe.asking(Long.MAX_VALUE);
        stage.subscribe(probe);
        probe.request(Long.MAX_VALUE);
        probe.request(1);
        IntStream.range(0, 10).forEach(above::send);
        assertThat(probe.size()).isEqualTo(10);
        assertThat(probe.violations()).isEmpty();
    }

    @Test
    @DisplayName("B66 a subscriber that asks for one more in each onNext gets a long stream without deep recursion")
    void reentrant() {
        int elements = 200_000;
        AtomicInteger depth = new AtomicInteger();
        AtomicInteger deepest = new AtomicInteger();
        AtomicInteger taken = new AtomicInteger();
        Source.from(Numbers.to(elements)).via(stage).subscribe(new Flow.Subscriber<>() {
            private Flow.Subscription subscription;

            @Override
            public void onSubscribe(Flow.Subscription given) {
                subscription = given;
                given.request(1);
            }

            @Override
            public void onNext(Integer element) {
                deepest.accumulateAndGet(depth.incrementAndGet(), Math::max);
                taken.incrementAndGet();
                subscription.request(1);
                depth.decrementAndGet();
            }

            @Override
            public void onError(Throwable failure) {
                throw new AssertionError(failure);
            }

            @Override
            public void onComplete() {
                taken.addAndGet(elements);
            }
        });
        assertThat(taken).hasValue(2 * elements);
        assertThat(deepest).hasValue(1);
    }

    @Test
    @DisplayName("B66 a subscriber that asks in onNext for what is held already gets it afterwards, not inside")
    void reentrantHeld() {
        above.subscribe(stage);
        AtomicReference<Probe<Integer>> itself = new AtomicReference<>();
        List<String> seen = new ArrayList<>();
        Probe<Integer> probe = new Probe<>(0, element -> {
            seen.add("begin " + element);
            itself.get().request(1);
            seen.add("end " + element);
        });
        itself.set(probe);
        stage.subscribe(probe);
        above.send(1);
        above.send(2);
        probe.request(1);

        assertThat(seen).containsExactly("begin 1", "end 1", "begin 2", "end 2");
    }

    @Test
    @DisplayName("B66 a request that is not positive fails the stream, and those above are told")
    void requestOfNothing() {
        above.subscribe(stage);
        Probe<Integer> probe = Probe.asking(1);
        stage.subscribe(probe);
        probe.request(0);
        assertThatThrownBy(() -> probe.end().getNow(null))
                .hasRootCauseInstanceOf(IllegalArgumentException.class)
                .hasStackTraceContaining("3.9");
        assertThat(above.isCancelled()).isTrue();
    }

    @Test
    @DisplayName("B66 a cancellation releases what is held and reaches those above, also when they come later")
    void cancel() {
        above.subscribe(stage);
        Probe<Integer> probe = Probe.asking(1);
        stage.subscribe(probe);
        above.send(1);
        above.send(2);
        probe.cancel();
        assertThat(stage.held).isEmpty();
        assertThat(above.isCancelled()).isTrue();
        above.complete();
        assertThat(probe.end()).isNotDone();
        assertThat(stage.releases).isEqualTo(1);

        Passing other = new Passing();
        Probe<Integer> early = Probe.asking(1);
        other.subscribe(early);
        early.cancel();
        HandPublisher<Integer> late = new HandPublisher<>();
        late.subscribe(other);
        assertThat(late.isCancelled()).isTrue();
        assertThat(late.requested()).isZero();
    }

    @Test
    @DisplayName("B66 a failure from above goes down before what is held")
    void failure() {
        above.subscribe(stage);
        Probe<Integer> probe = Probe.asking(0);
        stage.subscribe(probe);
        above.send(1);
        above.fail(new IllegalStateException("told to"));
        assertThat(probe.end()).isCompletedExceptionally();
        assertThat(above.isCancelled()).as("rule 2.4").isFalse();
        assertThat(stage.releases).isEqualTo(1);
    }

    @Test
    @DisplayName("B66 a second subscriber and a second publisher are refused, and the first go on")
    void second() {
        above.subscribe(stage);
        Probe<Integer> probe = Probe.asking(1);
        stage.subscribe(probe);
        Probe<Integer> second = Probe.asking(1);
        stage.subscribe(second);
        assertThatThrownBy(() -> second.end().getNow(null)).hasRootCauseInstanceOf(IllegalStateException.class);
        HandPublisher<Integer> other = new HandPublisher<>();
        other.subscribe(stage);
        assertThat(other.isCancelled()).isTrue();
        above.send(1);
        assertThat(probe.elements()).containsExactly(1);
    }

    @Test
    @DisplayName("B66 a subscriber that throws counts as having cancelled: nothing more comes, those above are told")
    void brokenSubscriber() {
        above.subscribe(stage);
        Probe<Integer> probe = new Probe<>(10, element -> {
            throw new IllegalStateException("told to");
        });
        stage.subscribe(probe);
        above.send(1);
        above.send(2);
        assertThat(probe.elements()).containsExactly(1);
        assertThat(probe.end()).isNotDone();
        assertThat(above.isCancelled()).isTrue();
    }

    @Test
    @DisplayName("B66 nulls that the specification forbids are refused where they are given")
    void nulls() {
        assertThatThrownBy(() -> stage.subscribe(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> stage.onSubscribe(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> stage.onError(null)).isInstanceOf(NullPointerException.class);
    }
}
