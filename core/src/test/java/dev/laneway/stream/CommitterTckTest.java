package dev.laneway.stream;

import dev.laneway.engine.handle.AckHandle;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Flow;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.IntegerSerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.reactivestreams.tck.flow.FlowSubscriberBlackboxVerification;

/** The rules are about signals, not about brokers: these commits are confirmed as soon as they are asked for. */
@DisplayName("B65 the TCK passes for each committing stage")
class CommitterTckTest {
    private static final ExecutorService THREADS = Executors.newVirtualThreadPerTaskExecutor();
    private static final CommitterSettings EACH = new CommitterSettings(1, Duration.ofHours(1), 1);

    private static final AckHandle CONFIRMS = new AckHandle() {
        @Override
        public TopicPartition partition() {
            return new TopicPartition("numbers", 0);
        }

        @Override
        public void done(long offset, @Nullable String metadata) {}

        @Override
        public void doneUpTo(long offset, @Nullable String metadata) {}

        @Override
        public void emits(long offset, List<ProducerRecord<byte[], byte[]>> outputs, Receipt receipt) {
            receipt.written();
        }

        @Override
        public CompletionStage<@Nullable Void> commit() {
            return CompletableFuture.completedStage(null);
        }
    };

    @AfterAll
    static void endThreads() {
        THREADS.close();
    }

    private static Offset offset(int number) {
        return new Offset(CONFIRMS, number, "");
    }

    /** A sink. */
    private static final class Taking extends FlowSubscriberBlackboxVerification<Offset> {
        Taking() {
            super(Tck.environmentWithThreads());
        }

        @Override
        public Flow.Subscriber<Offset> createFlowSubscriber() {
            return Committer.sink(EACH);
        }

        @Override
        public Offset createElement(int element) {
            return offset(element);
        }
    }

    @TestFactory
    @DisplayName("B65 Committer.flow:")
    Stream<DynamicTest> flow() {
        return Tck.of(() -> new OperatorsTckTest.Identity(THREADS, held -> {
            Flow.Processor<Offset, OffsetBatch> flow = Committer.flow(EACH);
            return new OperatorsTckTest.Chain<>(
                    new MappingStage<>(CommitterTckTest::offset, flow),
                    Source.from(flow)
                            .map(batch -> (int) batch.offsets().getFirst().offset()));
        }));
    }

    private static TransactionSettings<Integer, Integer> transactions() {
        return TransactionSettings.of("tck", new IntegerSerializer(), new IntegerSerializer())
                .withMaxBatch(1);
    }

    private static Envelope<Integer, Integer, Offset> envelope(int number) {
        return Envelope.single(new ProducerRecord<>("out", number, number), offset(number));
    }

    /** A sink of transactions. */
    private static final class Writing extends FlowSubscriberBlackboxVerification<Envelope<Integer, Integer, Offset>> {
        Writing() {
            super(Tck.environmentWithThreads());
        }

        @Override
        public Flow.Subscriber<Envelope<Integer, Integer, Offset>> createFlowSubscriber() {
            return KafkaSink.transactional(transactions());
        }

        @Override
        public Envelope<Integer, Integer, Offset> createElement(int element) {
            return envelope(element);
        }
    }

    @TestFactory
    @DisplayName("B65 KafkaSink.transactionalFlow:")
    Stream<DynamicTest> transactionalFlow() {
        return Tck.of(() -> new OperatorsTckTest.Identity(THREADS, held -> {
            Flow.Processor<Envelope<Integer, Integer, Offset>, Offset> flow =
                    KafkaSink.transactionalFlow(transactions());
            return new OperatorsTckTest.Chain<>(
                    new MappingStage<>(CommitterTckTest::envelope, flow),
                    Source.from(flow).map(offset -> (int) offset.offset()));
        }));
    }

    @TestFactory
    @DisplayName("B65 KafkaSink.transactional:")
    Stream<DynamicTest> transactional() {
        return Tck.of(Writing::new);
    }

    @TestFactory
    @DisplayName("B65 Committer.sink:")
    Stream<DynamicTest> sink() {
        return Tck.of(Taking::new);
    }
}
