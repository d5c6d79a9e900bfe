package dev.laneway.stream;

import dev.laneway.interleave.Interleavings;
import dev.laneway.interleave.Steps;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The stages of a stream, with those above, those below and those beside them interleaved in many ways. */
@Execution(ExecutionMode.CONCURRENT) // Its threads are its own.
class StageInterleavingTest {
    private static final int RUNS = 3_000;
    private static final int ELEMENTS = 5;

    /** A publisher that sends on a thread of its own, a subscriber that asks on another. */
    public abstract static class Meeting implements Runnable {
        final AtomicLong asked = new AtomicLong();
        final List<Integer> got = new ArrayList<>();
        private final AtomicInteger inside = new AtomicInteger();
        private final Queue<String> violations = new ConcurrentLinkedQueue<>();
        private volatile Flow.Subscription below;
        volatile boolean cancelled;
        volatile boolean completed;
        volatile Throwable failure;
        private volatile Thread ending;
        private long granted;

        /** The stage, made on a thread of the run. */
        abstract Flow.Processor<Integer, Integer> stage();

        /** What happens on threads of the scenario's own. */
        void others() {}

        /** What the subscriber does besides asking, when it gets an element. */
        void onNext(int element) {}

        @Override
        public void run() {
            Flow.Processor<Integer, Integer> stage = stage();
            boolean subscriberFirst = Steps.choose(2) == 0;
            if (subscriberFirst) {
                Steps.spawn(() -> stage.subscribe(subscriber()));
            }
            Steps.spawn(() -> publish(stage));
            if (!subscriberFirst) {
                Steps.spawn(() -> stage.subscribe(subscriber()));
            }
            others();
            Steps.spawn(this::ask);
            Steps.awaitOthers();
            check();
            if (!violations.isEmpty()) {
                throw new AssertionError("not so: " + violations);
            }
        }

        void check() {
            expect(failure == null, "no failure: " + failure);
            expect(completed, "completed after " + got);
            expect(got.size() == ELEMENTS, "all elements: " + got);
        }

        private void publish(Flow.Subscriber<Integer> stage) {
            stage.onSubscribe(new Flow.Subscription() {
                @Override
                public void request(long elements) {
                    expect(!Thread.currentThread().equals(ending), "rule 2.4: nothing is asked for in onComplete");
                    asked.addAndGet(elements);
                }

                @Override
                public void cancel() {
                    expect(!Thread.currentThread().equals(ending), "rule 2.4: nothing is cancelled in onComplete");
                    cancelled = true;
                }
            });
            for (int i = 0; i < ELEMENTS && !cancelled; i++) {
                int number = i;
                Steps.await(() -> asked.get() > number || cancelled);
                if (!cancelled) {
                    stage.onNext(i);
                }
            }
            ending = Thread.currentThread();
            stage.onComplete();
            ending = null;
        }

        /** Asks for one after the other, one more than there are. */
        private void ask() {
            Steps.await(() -> below != null);
            for (int i = 0; i <= ELEMENTS; i++) {
                int before = i;
                Steps.await(() -> got.size() >= before - 1 || completed || failure != null || cancelled);
                granted++;
                below.request(1);
            }
        }

        void cancelBelow() {
            below.cancel();
        }

        private Flow.Subscriber<Integer> subscriber() {
            return new Flow.Subscriber<>() {
                @Override
                public void onSubscribe(Flow.Subscription subscription) {
                    below = subscription;
                }

                @Override
                public void onNext(Integer element) {
                    expect(inside.getAndIncrement() == 0, "one signal at a time");
                    expect(!completed && failure == null, "nothing after the end");
                    got.add(element);
                    expect(got.size() <= granted, "no more than asked for");
                    Meeting.this.onNext(element);
                    inside.getAndDecrement();
                }

                @Override
                public void onError(Throwable thrown) {
                    expect(inside.getAndIncrement() == 0, "one signal at a time");
                    expect(!completed && failure == null, "one end");
                    failure = thrown;
                    inside.getAndDecrement();
                }

                @Override
                public void onComplete() {
                    expect(inside.getAndIncrement() == 0, "one signal at a time");
                    expect(!completed && failure == null, "one end");
                    completed = true;
                    inside.getAndDecrement();
                }
            };
        }

        /** Notes what does not hold: a stage takes what its subscriber throws for a cancellation. */
        final void expect(boolean holds, String what) {
            if (!holds) {
                violations.add(what);
            }
        }

        void expectOrder() {
            for (int i = 0; i < got.size(); i++) {
                expect(got.get(i) == i, "in order: " + got);
            }
        }
    }

    /** Stages of calls that two threads complete in any order. */
    public abstract static class Calling extends Meeting {
        private final Queue<CompletableFuture<Integer>> calls = new ConcurrentLinkedQueue<>();
        private final Queue<Integer> arguments = new ConcurrentLinkedQueue<>();
        private final AtomicInteger answered = new AtomicInteger();

        CompletableFuture<Integer> call(Integer element) {
            CompletableFuture<Integer> call = new CompletableFuture<>();
            synchronized (calls) {
                arguments.add(element);
                calls.add(call);
            }
            return call;
        }

        @Override
        void others() {
            for (int thread = 0; thread < 2; thread++) {
                Steps.spawn(() -> {
                    while (answered.get() < ELEMENTS) {
                        Steps.await(() -> !calls.isEmpty() || answered.get() == ELEMENTS);
                        CompletableFuture<Integer> call;
                        Integer argument;
                        synchronized (calls) {
                            call = calls.poll();
                            argument = arguments.poll();
                        }
                        if (call != null) {
                            answered.incrementAndGet();
                            if (Steps.choose(2) == 0) {
                                Steps.yieldToOthers();
                            }
                            call.complete(argument);
                        }
                    }
                });
            }
        }
    }

    public static final class Ordered extends Calling {
        @Override
        Flow.Processor<Integer, Integer> stage() {
            return new AsyncMapping<>(2, this::call);
        }

        @Override
        void check() {
            super.check();
            expectOrder();
        }
    }

    public static final class Unordered extends Calling {
        @Override
        Flow.Processor<Integer, Integer> stage() {
            return new UnorderedMapping<>(2, this::call);
        }
    }

    /** Cancelled while calls are under way: every call that nobody answers is cancelled. */
    public abstract static class Cancelled extends Meeting {
        private final List<CompletableFuture<Integer>> calls = new ArrayList<>();

        CompletableFuture<Integer> call(Integer element) {
            CompletableFuture<Integer> call =
                    element == 0 ? CompletableFuture.completedFuture(0) : new CompletableFuture<>();
            calls.add(call);
            return call;
        }

        @Override
        void onNext(int element) {
            Steps.spawn(this::cancelBelow);
        }

        @Override
        void check() {
            expect(cancelled, "those above are told");
            expect(got.equals(List.of(0)), "one element: " + got);
            expect(!completed && failure == null, "no end is told");
            for (CompletableFuture<Integer> call : calls) {
                expect(call.isDone(), "no call is left");
            }
        }
    }

    public static final class CancelledOrdered extends Cancelled {
        @Override
        Flow.Processor<Integer, Integer> stage() {
            return new AsyncMapping<>(3, this::call);
        }
    }

    public static final class CancelledUnordered extends Cancelled {
        @Override
        Flow.Processor<Integer, Integer> stage() {
            return new UnorderedMapping<>(3, this::call);
        }
    }

    /** Two keys, odd and even, two workers. */
    public static class Keyed extends Meeting {
        private final AtomicInteger[] running = {new AtomicInteger(), new AtomicInteger()};

        @Override
        Flow.Processor<Integer, Integer> stage() {
            return new KeyedMapping<>(2, 4, element -> element % 2, this::handle, Steps::spawn);
        }

        Integer handle(Integer element) {
            expect(running[element % 2].getAndIncrement() == 0, "one of a key at a time");
            running[element % 2].getAndDecrement();
            return element;
        }

        @Override
        void check() {
            super.check();
            for (int parity = 0; parity < 2; parity++) {
                int last = -1;
                for (int element : got) {
                    if (element % 2 == parity) {
                        expect(element > last, "a key's order: " + got);
                        last = element;
                    }
                }
            }
        }
    }

    /** One call fails: that is the end, and workers end, too. */
    public static final class KeyedFailing extends Keyed {
        @Override
        Integer handle(Integer element) {
            if (element == 2) {
                throw new IllegalStateException("told to");
            }
            return super.handle(element);
        }

        @Override
        void check() {
            expect(failure instanceof IllegalStateException, "the failure: " + failure);
            expect(cancelled || asked.get() >= ELEMENTS, "those above are told");
            expect(!got.contains(2) && !got.contains(4), "nothing after it of its key: " + got);
        }
    }

    /** Time that is up at any moment. */
    public static final class Grouped extends Meeting {
        private final Queue<Runnable> due = new ConcurrentLinkedQueue<>();
        private volatile boolean over;

        @Override
        Flow.Processor<Integer, Integer> stage() {
            GroupingStage<Integer> grouping = new GroupingStage<>(2, 1, (nanos, call) -> {
                due.add(call);
                return () -> due.remove(call);
            });
            Flow.Publisher<Integer> sums =
                    subscriber -> grouping.subscribe(new MappingStage<>(Grouped::sum, subscriber));
            return new OperatorsTckTest.Chain<>(grouping, sums);
        }

        private static Integer sum(List<Integer> group) {
            return group.stream().mapToInt(element -> 1 + element).sum();
        }

        @Override
        void others() {
            Steps.spawn(() -> {
                while (!over) {
                    Steps.await(() -> !due.isEmpty() || completed);
                    over = completed;
                    Runnable call = due.poll();
                    if (call != null) {
                        call.run();
                    }
                }
            });
        }

        @Override
        void check() {
            expect(completed && failure == null, "completed");
            expect(got.stream().mapToInt(sum -> sum).sum() == ELEMENTS * (ELEMENTS + 1) / 2, "all elements: " + got);
        }
    }

    @Test
    @DisplayName("B66 mapAsync: order and demand hold, no wake-up is lost, whoever completes the calls")
    void mapAsync() {
        Interleavings.explore(Ordered.class, RUNS);
        Interleavings.explore(CancelledOrdered.class, RUNS);
    }

    @Test
    @DisplayName("B66 mapAsyncUnordered: demand holds, no wake-up is lost, whoever completes the calls")
    void mapAsyncUnordered() {
        Interleavings.explore(Unordered.class, RUNS);
        Interleavings.explore(CancelledUnordered.class, RUNS);
    }

    @Test
    @DisplayName("B18 mapByKey: a key's elements never overlap and keep their order, no wake-up is lost")
    void mapByKey() {
        Interleavings.explore(Keyed.class, RUNS);
        Interleavings.explore(KeyedFailing.class, RUNS);
    }

    @Test
    @DisplayName("B66 groupedWithin: nothing is lost or repeated, whenever the time is up")
    void groupedWithin() {
        Interleavings.explore(Grouped.class, RUNS);
    }
}
