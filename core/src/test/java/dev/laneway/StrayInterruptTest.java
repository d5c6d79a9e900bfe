package dev.laneway;

import static dev.laneway.Stage.LIMIT;
import static dev.laneway.Stage.bytes;
import static dev.laneway.Stage.millis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Handlers that leave the interrupt flag of their thread set, as many libraries do when they fail. */
@Timeout(120)
@DisplayName("Stray interrupts on a real broker")
class StrayInterruptTest {
    private static final int RECORDS = 60;

    /** Every way to handle records that can leave the flag set. */
    enum Verb {
        PROCESS,
        OUTCOME,
        ASYNC,
        BATCH,
        TRANSFORM
    }

    /** Where handlers run. */
    enum Place {
        VIRTUAL,
        CPU_BOUND,
        /** An executor that hands its threads on as they are, as some do. */
        EXECUTOR
    }

    static Stream<Arguments> everywhere() {
        return Stream.of(Verb.values())
                .flatMap(verb -> Stream.of(Place.values()).map(place -> Arguments.of(verb, place)));
    }

    /** Two threads that never clear a flag. */
    private static final class Careless implements Executor {
        private final LinkedBlockingQueue<Runnable> waiting = new LinkedBlockingQueue<>();

        Careless() {
            for (int i = 0; i < 2; i++) {
                Thread.ofPlatform().daemon().start(this::work);
            }
        }

        @Override
        public void execute(Runnable worker) {
            waiting.add(worker);
        }

        private void work() {
            while (true) {
                boolean interrupted = Thread.interrupted();
                Runnable worker;
                try {
                    worker = waiting.take();
                } catch (InterruptedException unexpected) {
                    throw new IllegalStateException(unexpected);
                }
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
                worker.run();
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Succeeds two of three times, fails otherwise, and always leaves the flag set. */
    private static final class Careful {
        final AtomicInteger calls = new AtomicInteger();
        final Queue<String> dirty = new ConcurrentLinkedQueue<>();

        void handle(ConsumerRecord<String, String> record) {
            begin(List.of(record));
            if (isBad(record)) {
                throw new IllegalStateException("a library failed");
            }
        }

        BatchOutcome handle(List<ConsumerRecord<String, String>> records) {
            begin(records);
            return BatchOutcome.each(records.stream()
                    .map(record -> isBad(record) ? Outcome.deadLetter("bad") : Outcome.done())
                    .toList());
        }

        private void begin(List<ConsumerRecord<String, String>> records) {
            calls.addAndGet(records.size());
            if (Thread.currentThread().isInterrupted()) {
                records.forEach(record -> dirty.add(record.value()));
            }
            Thread.currentThread().interrupt();
        }

        static boolean isBad(ConsumerRecord<String, String> record) {
            return Integer.parseInt(record.value()) % 3 == 0;
        }
    }

    /** Needs the flag clear, and may leave it set. */
    private record Registry(boolean leavesFlag) implements Deserializer<String> {
        @Override
        public String deserialize(String topic, byte[] data) {
            if (Thread.interrupted()) {
                throw new IllegalStateException("interrupted while waiting for the registry");
            }
            if (leavesFlag) {
                Thread.currentThread().interrupt();
            }
            return new StringDeserializer().deserialize(topic, data);
        }
    }

    @ParameterizedTest(name = "{0} on {1}")
    @MethodSource("everywhere")
    @DisplayName("B99 a flag that a handler leaves set reaches no other attempt, no emit and no dead letter")
    void leavesNoTrace(Verb verb, Place place) {
        Stage stage = Stage.of(2);
        String letters = stage.topic + ".dlq";
        String emitted = stage.topic + ".out";
        stage.kafka.createTopic(letters, 1);
        stage.kafka.createTopic(emitted, 1);
        stage.load(RECORDS, i -> "key-" + i % 7);
        Careful handler = new Careful();
        LanewayBuilder<String, String> builder = stage.consumer()
                .deserializers(new StringDeserializer(), new Registry(false))
                .concurrency(2)
                .workers(
                        switch (place) {
                            case VIRTUAL -> Workers.virtual();
                            case CPU_BOUND -> Workers.cpuBound(2);
                            case EXECUTOR -> Workers.on(new Careless());
                        })
                .onFailure(FailurePolicy.deadLetter(letters)
                        .on(RecordDeserializationException.class, FailurePolicy.skip()));
        try (Laneway laneway = start(builder, verb, handler, emitted)) {
            await().atMost(LIMIT).until(() -> stage.isCommittedToEnd() || laneway.state() != State.RUNNING);
            assertThat(laneway.state()).isEqualTo(State.RUNNING);
            Counters counters = laneway.snapshot().counters();
            assertThat(handler.dirty).isEmpty();
            assertThat(counters.skipped()).isZero();
            assertThat(counters.deadLettered()).isEqualTo(RECORDS / 3);
            assertThat(handler.calls).hasValue(RECORDS);
            assertThat(counters.emitted())
                    .isEqualTo(verb == Verb.OUTCOME || verb == Verb.ASYNC || verb == Verb.TRANSFORM ? 40 : 0);
        }
    }

    private static Laneway start(LanewayBuilder<String, String> builder, Verb verb, Careful handler, String emitted) {
        ProducerRecord<byte[], byte[]> output = new ProducerRecord<>(emitted, bytes("output"));
        return switch (verb) {
            case PROCESS -> builder.process(handler::handle);
            case OUTCOME ->
                builder.process((record, context) -> {
                    handler.handle(record);
                    context.emit(output);
                    return Outcome.done();
                });
            case ASYNC ->
                builder.processAsync((record, context) -> {
                    context.emit(output);
                    handler.handle(record);
                    return Integer.parseInt(record.value()) % 3 == 1
                            ? CompletableFuture.completedFuture(Outcome.done())
                            : CompletableFuture.supplyAsync(Outcome::done);
                });
            case BATCH -> builder.processBatch(5, millis(1), handler::handle);
            case TRANSFORM ->
                builder.transform(new StringSerializer(), new StringSerializer(), record -> {
                    handler.handle(record);
                    return List.of(new ProducerRecord<>(emitted, "output"));
                });
        };
    }

    @Test
    @DisplayName("B99 a flag that a deserialiser leaves set reaches no other record of the batch")
    void deserialisersOfBatches() {
        Stage stage = Stage.of(1);
        stage.load(RECORDS, i -> "key");
        AtomicInteger handled = new AtomicInteger();
        try (Laneway laneway = stage.consumer()
                .deserializers(new StringDeserializer(), new Registry(true))
                .onFailure(FailurePolicy.skip())
                .processBatch(20, millis(100), records -> {
                    handled.addAndGet(records.size());
                    return BatchOutcome.done();
                })) {
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
            assertThat(laneway.snapshot().counters().skipped()).isZero();
            assertThat(handled).hasValue(RECORDS);
        }
    }

    @Test
    @DisplayName("B99 a flag that a rebalance listener leaves set does not stop the consumer")
    void listeners() {
        Stage stage = Stage.of(1);
        stage.load(RECORDS, i -> "key");
        try (Laneway laneway = stage.consumer()
                .onRebalance(new RebalanceListener() {
                    @Override
                    public void onAssigned(RestrictedConsumer consumer, Collection<TopicPartition> partitions) {
                        Thread.currentThread().interrupt();
                    }
                })
                .process(record -> {})) {
            await().atMost(LIMIT).until(() -> stage.isCommittedToEnd() || laneway.state() != State.RUNNING);
            assertThat(laneway.state()).isEqualTo(State.RUNNING);
        }
    }
}
