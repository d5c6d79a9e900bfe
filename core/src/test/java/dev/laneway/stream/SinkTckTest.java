package dev.laneway.stream;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Flow;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.IntegerSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.reactivestreams.tck.flow.FlowSubscriberBlackboxVerification;

/** The rules are about signals, not about brokers: Kafka's own producer for tests acknowledges what it is given. */
@DisplayName("B65 the TCK passes for each producing sink")
class SinkTckTest {
    private static final ExecutorService THREADS = Executors.newVirtualThreadPerTaskExecutor();

    @AfterAll
    static void endThreads() {
        THREADS.close();
    }

    /** A sink. */
    private static final class Taking extends FlowSubscriberBlackboxVerification<ProducerRecord<Integer, Integer>> {
        Taking() {
            super(Tck.environment());
        }

        @Override
        public Flow.Subscriber<ProducerRecord<Integer, Integer>> createFlowSubscriber() {
            return KafkaSink.plain(settings());
        }

        @Override
        public ProducerRecord<Integer, Integer> createElement(int element) {
            return record(element);
        }
    }

    @TestFactory
    @DisplayName("B65 KafkaSink.flow:")
    Stream<DynamicTest> flow() {
        return Tck.of(() -> new OperatorsTckTest.Identity(THREADS, held -> {
            Flow.Processor<Envelope<Integer, Integer, Integer>, Result<Integer, Integer, Integer>> flow =
                    KafkaSink.flow(settings().withMaxInFlightRecords(held));
            return new OperatorsTckTest.Chain<>(
                    new MappingStage<>(element -> Envelope.single(record(element), element), flow),
                    Source.from(flow).map(Result::passThrough));
        }));
    }

    @TestFactory
    @DisplayName("B65 KafkaSink.plain:")
    Stream<DynamicTest> plain() {
        return Tck.of(Taking::new);
    }

    private static ProducerRecord<Integer, Integer> record(int number) {
        return new ProducerRecord<>("out", number, number);
    }

    private static ProducerSettings<Integer, Integer> settings() {
        Producer<byte[], byte[]> producer =
                new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer());
        return ProducerSettings.of(producer, new IntegerSerializer(), new IntegerSerializer());
    }
}
