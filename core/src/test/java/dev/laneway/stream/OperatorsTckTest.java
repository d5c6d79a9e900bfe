package dev.laneway.stream;

import dev.laneway.stream.runtime.SystemStreamTimer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Flow;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.reactivestreams.tck.flow.FlowPublisherVerification;
import org.reactivestreams.tck.flow.IdentityFlowProcessorVerification;

@DisplayName("B65 the TCK passes for each operator")
class OperatorsTckTest {
    private static final ExecutorService THREADS = Executors.newVirtualThreadPerTaskExecutor();

    @AfterAll
    static void endThreads() {
        THREADS.close();
    }

    /** A processor that gives what it gets, for one subscriber. */
    static final class Identity extends IdentityFlowProcessorVerification<Integer> {
        private final ExecutorService threads;
        private final IntFunction<Flow.Processor<Integer, Integer>> processors;

        /** @param processors makes one; the number is that of elements that it may hold */
        Identity(ExecutorService threads, IntFunction<Flow.Processor<Integer, Integer>> processors) {
            super(Tck.environmentWithThreads(), Tck.RELEASE_MILLIS, 16); // The publisher above it has its own.
            this.threads = threads;
            this.processors = processors;
        }

        @Override
        protected Flow.Processor<Integer, Integer> createIdentityFlowProcessor(int bufferSize) {
            return processors.apply(bufferSize);
        }

        @Override
        protected Flow.Publisher<Integer> createFailedFlowPublisher() {
            Flow.Processor<Integer, Integer> processor = processors.apply(16);
            SubscriptionRefusal.to(processor, new IllegalStateException("told to"));
            return processor;
        }

        @Override
        public ExecutorService publisherExecutorService() {
            return threads;
        }

        @Override
        public Integer createElement(int element) {
            return element;
        }

        @Override
        public long maxSupportedSubscribers() {
            return 1;
        }
    }

    /** A source with stages behind it. */
    static final class Publishing extends FlowPublisherVerification<Integer> {
        private final Function<Source<Integer>, Source<Integer>> stages;

        Publishing(Function<Source<Integer>, Source<Integer>> stages) {
            super(Tck.environment(), Tck.RELEASE_MILLIS);
            this.stages = stages;
        }

        @Override
        public Flow.Publisher<Integer> createFlowPublisher(long elements) {
            return stages.apply(Source.from(Numbers.to(elements)));
        }

        @Override
        public Flow.Publisher<Integer> createFailedFlowPublisher() {
            return stages.apply(Source.from(
                    subscriber -> SubscriptionRefusal.to(subscriber, new IllegalStateException("told to"))));
        }
    }

    /** A processor that begins with one stage and ends with another that was put behind it. */
    record Chain<A, B>(Flow.Subscriber<A> first, Flow.Publisher<B> last) implements Flow.Processor<A, B> {
        @Override
        public void subscribe(Flow.Subscriber<? super B> subscriber) {
            last.subscribe(subscriber);
        }

        @Override
        public void onSubscribe(Flow.Subscription subscription) {
            first.onSubscribe(subscription);
        }

        @Override
        public void onNext(A element) {
            first.onNext(element);
        }

        @Override
        public void onError(Throwable failure) {
            first.onError(failure);
        }

        @Override
        public void onComplete() {
            first.onComplete();
        }
    }

    @TestFactory
    @DisplayName("B65 mapAsync:")
    Stream<DynamicTest> mapAsync() {
        return Tck.of(() -> new Identity(THREADS, held -> new AsyncMapping<>(held, OperatorsTckTest::later)));
    }

    @TestFactory
    @DisplayName("B65 mapAsyncUnordered:")
    Stream<DynamicTest> mapAsyncUnordered() {
        return Tck.of(
                () -> new Identity(THREADS, held -> new UnorderedMapping<>(held, CompletableFuture::completedFuture)));
    }

    @TestFactory
    @DisplayName("B65 mapByKey:")
    Stream<DynamicTest> mapByKey() {
        return Tck.of(() -> new Identity(
                THREADS, held -> new KeyedMapping<>(held, held, element -> "key", element -> element, THREADS)));
    }

    @TestFactory
    @DisplayName("B65 groupedWithin and map:")
    Stream<DynamicTest> groupedWithinAndMap() {
        return Tck.of(() -> new Identity(THREADS, held -> {
            GroupingStage<Integer> grouping = new GroupingStage<>(1, Long.MAX_VALUE, SystemStreamTimer.REAL);
            return new Chain<>(grouping, Source.from(grouping).map(List::getFirst));
        }));
    }

    @TestFactory
    @DisplayName("B65 a source with stages:")
    Stream<DynamicTest> publishing() {
        return Tck.of(() -> new Publishing(source -> source.map(element -> element)
                .mapAsync(3, CompletableFuture::completedFuture)
                .mapByKey(2, element -> "key", element -> element)
                .groupedWithin(1, Duration.ofHours(1))
                .map(List::getFirst)
                .mapAsyncUnordered(1, OperatorsTckTest::later)));
    }

    private static CompletableFuture<Integer> later(Integer element) {
        return CompletableFuture.supplyAsync(() -> element, THREADS);
    }
}
