package dev.laneway.stream;

import dev.laneway.Backoff;
import dev.laneway.FailurePolicy;
import dev.laneway.interleave.Interleavings;
import dev.laneway.interleave.Steps;
import dev.laneway.stream.runtime.StageRuntime;
import dev.laneway.stream.runtime.StreamTimer;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.IntegerSerializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The producing stage: its drain sleeps until an answer that it waits for comes. A missed answer is a deadlock. */
@Execution(ExecutionMode.CONCURRENT) // Its threads are its own.
class SinkStageInterleavingTest {
    private static final int RUNS = 5_000;
    private static final RecordMetadata PLACE = new RecordMetadata(new TopicPartition("out", 0), 0, 0, 0, 0, 0);

    /** Each answer comes on a thread of its own, in any order; some records are refused at first. */
    private static final class LateProducer extends MockProducer<byte[], byte[]> {
        private final AtomicInteger refusals;
        final AtomicInteger inFlight = new AtomicInteger();
        /** What was sent first, in order. */
        final Queue<Integer> sent = new ConcurrentLinkedQueue<>();

        LateProducer(int refusals) {
            this.refusals = new AtomicInteger(refusals);
        }

        @Override
        @SuppressWarnings("UnsynchronizedOverridesSynchronized") // A run's threads must not wait for a real monitor.
        public Future<RecordMetadata> send(ProducerRecord<byte[], byte[]> record, Callback callback) {
            inFlight.getAndIncrement();
            sent.add(ByteBuffer.wrap(record.value()).getInt());
            boolean refused = refusals.getAndDecrement() > 0;
            Steps.spawn(() -> {
                inFlight.getAndDecrement();
                callback.onCompletion(refused ? null : PLACE, refused ? new TimeoutException("told to") : null);
            });
            return new CompletableFuture<>();
        }
    }

    private static StageRuntime machine() {
        StreamTimer soon = (nanos, call) -> {
            Steps.spawn(call);
            return () -> {};
        };
        return new StageRuntime(Steps::spawn, soon, RandomGenerator.of("L64X128MixRandom"));
    }

    private static ProducerSettings<Integer, Integer> settings(LateProducer producer, int inFlight) {
        return ProducerSettings.of(producer, new IntegerSerializer(), new IntegerSerializer())
                .withMaxInFlightRecords(inFlight)
                .withOnFailure(
                        FailurePolicy.retry(Backoff.fixed(Duration.ofMillis(1)).withJitter(0), 3));
    }

    private static ProducerRecord<Integer, Integer> record(int number) {
        return new ProducerRecord<>("out", number, number);
    }

    /** Envelopes of one record and of two, between other stages. */
    public abstract static class Flowing extends StageInterleavingTest.Meeting {
        private final LateProducer producer;

        Flowing(int refusals) {
            producer = new LateProducer(refusals);
        }

        @Override
        Flow.Processor<Integer, Integer> stage() {
            SinkStage<Envelope<Integer, Integer, Integer>, Integer, Integer, Result<Integer, Integer, Integer>>
                    sending = new SinkStage<>(settings(producer, 2), new ElementShape.Enveloped<>(), machine());
            Flow.Subscriber<Integer> first = new MappingStage<>(Flowing::envelope, sending);
            Flow.Publisher<Integer> last =
                    subscriber -> sending.subscribe(new MappingStage<>(Result::passThrough, subscriber));
            return new OperatorsTckTest.Chain<>(first, last);
        }

        private static Envelope<Integer, Integer, Integer> envelope(int number) {
            return number == 3
                    ? Envelope.multi(List.of(record(number), record(number)), number)
                    : Envelope.single(record(number), number);
        }

        @Override
        void onNext(int element) {
            expect(producer.inFlight.get() <= 2, "no more in flight than the limit");
        }

        @Override
        void check() {
            super.check();
            expectOrder();
        }
    }

    public static final class Confirmed extends Flowing {
        public Confirmed() {
            super(0);
        }
    }

    public static final class SentAgain extends Flowing {
        public SentAgain() {
            super(2);
        }
    }

    /** A sink, at the end of the stream: it looks at answers only when it must. */
    public static final class Bare implements Runnable {
        private static final int RECORDS = 13;

        @Override
        public void run() {
            LateProducer producer = new LateProducer(1);
            SinkStage<ProducerRecord<Integer, Integer>, Integer, Integer, ProducerRecord<Integer, Integer>> sending =
                    new SinkStage<>(settings(producer, 8), new ElementShape.Bare<>(), machine());
            DrainSink<ProducerRecord<Integer, Integer>> nobody = new DrainSink<>();
            sending.subscribe(nobody);
            Steps.spawn(() -> {
                AtomicInteger asked = new AtomicInteger();
                sending.onSubscribe(new Flow.Subscription() {
                    @Override
                    public void request(long elements) {
                        asked.addAndGet((int) elements);
                    }

                    @Override
                    public void cancel() {
                        throw new AssertionError("nobody cancels");
                    }
                });
                for (int i = 0; i < RECORDS; i++) {
                    int number = i;
                    Steps.await(() -> asked.get() > number);
                    sending.onNext(record(i));
                }
                sending.onComplete();
            });
            Steps.await(() -> nobody.completion().toCompletableFuture().isDone());
            if (nobody.completion().toCompletableFuture().isCompletedExceptionally()) {
                throw new AssertionError(nobody.completion().toString());
            }
            if (producer.inFlight.get() != 0) {
                throw new AssertionError("completed with " + producer.inFlight + " in flight");
            }
        }
    }

    /** Upstream answers a request at once or from another thread, as a source that is sometimes empty. */
    public static final class Answering implements Runnable {
        private static final int RECORDS = 25;
        private final AtomicInteger asked = new AtomicInteger();
        private final AtomicInteger turns = new AtomicInteger();
        private final AtomicInteger next = new AtomicInteger();

        @Override
        public void run() {
            LateProducer producer = new LateProducer(0);
            SinkStage<ProducerRecord<Integer, Integer>, Integer, Integer, ProducerRecord<Integer, Integer>> sending =
                    new SinkStage<>(settings(producer, 8), new ElementShape.Bare<>(), machine());
            DrainSink<ProducerRecord<Integer, Integer>> nobody = new DrainSink<>();
            sending.subscribe(nobody);
            sending.onSubscribe(new Flow.Subscription() {
                @Override
                public void request(long elements) {
                    if (asked.getAndAdd((int) elements) > 0) {
                        return;
                    }
                    if (turns.getAndIncrement() % 2 == 0) {
                        answer(sending);
                    } else {
                        Steps.spawn(() -> answer(sending));
                    }
                }

                @Override
                public void cancel() {
                    throw new AssertionError("nobody cancels");
                }
            });
            Steps.await(() -> nobody.completion().toCompletableFuture().isDone());
            List<Integer> all = IntStream.range(0, RECORDS).boxed().toList();
            if (!all.equals(List.copyOf(producer.sent))) {
                throw new AssertionError("sent " + producer.sent);
            }
        }

        private void answer(Flow.Subscriber<ProducerRecord<Integer, Integer>> below) {
            do {
                int number = next.getAndIncrement();
                if (number == RECORDS) {
                    below.onComplete();
                    return; // Without giving back what was asked for: nothing more is answered.
                }
                below.onNext(record(number));
            } while (asked.decrementAndGet() > 0);
        }
    }

    @Test
    @DisplayName("B77 what comes at once and what comes from another thread is sent in the order in which it came")
    void answering() {
        Interleavings.explore(Answering.class, RUNS);
    }

    @Test
    @DisplayName("B77 whenever answers come: results in order, no more in flight than the limit, no answer is missed")
    void confirmed() {
        Interleavings.explore(Confirmed.class, RUNS);
    }

    @Test
    @DisplayName("B78 whenever refusals come: what is sent again is confirmed in its turn, and nothing is missed")
    void sentAgain() {
        Interleavings.explore(SentAgain.class, RUNS);
    }

    @Test
    @DisplayName("B77 a sink that looks at answers only when it must misses none, and completes after the last")
    void bare() {
        Interleavings.explore(Bare.class, RUNS);
    }
}
