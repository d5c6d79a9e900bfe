package dev.laneway.stream;

import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.reactivestreams.tck.flow.FlowPublisherVerification;

/** The rules are about signals, not about brokers: Kafka's own consumer for tests is read. */
@DisplayName("B65 the TCK passes for each source")
class KafkaSourceTckTest {
    private static final Queue<Control> OPENED = new ConcurrentLinkedQueue<>();

    /** Many rules do not end their source, whose consumer would poll for ever. */
    @AfterEach
    void close() throws Exception {
        List<Control> opened = List.copyOf(OPENED);
        OPENED.clear();
        opened.forEach(Control::stop);
        for (Control control : opened) {
            control.completion()
                    .handle((done, failure) -> "ended")
                    .toCompletableFuture()
                    .get(20, TimeUnit.SECONDS);
        }
    }

    private static <T> Source<T> opened(Source<T> source) {
        OPENED.add(source.control());
        return source;
    }

    /** A source that is stopped when its last record is delivered: by itself it never ends. */
    private static final class Reading<T> extends FlowPublisherVerification<T> {
        private final Function<ConsumerSettings<String, String>, Source<T>> sources;
        private final Function<T, Long> offset;

        Reading(Function<ConsumerSettings<String, String>, Source<T>> sources, Function<T, Long> offset) {
            super(Tck.environmentWithThreads(), Tck.RELEASE_MILLIS);
            this.sources = sources;
            this.offset = offset;
        }

        @Override
        public Flow.Publisher<T> createFlowPublisher(long elements) {
            Source<T> source = opened(sources.apply(settings(() -> new CountingConsumer(elements))));
            if (elements == 0) {
                source.control().stop();
            }
            return source.map(element -> {
                if (offset.apply(element) == elements - 1) {
                    source.control().stop();
                }
                return element;
            });
        }

        @Override
        public Flow.Publisher<T> createFailedFlowPublisher() {
            return sources.apply(settings(() -> {
                throw new IllegalStateException("told to");
            }));
        }
    }

    /** The stream of a partition, which another source has delivered. */
    private static final class ReadingPartition extends FlowPublisherVerification<ConsumerRecord<String, String>> {
        ReadingPartition() {
            super(Tck.environmentWithThreads(), Tck.RELEASE_MILLIS);
        }

        @Override
        public Flow.Publisher<ConsumerRecord<String, String>> createFlowPublisher(long elements) {
            Source<ConsumerRecord<String, String>> source = of(new CountingConsumer(elements));
            if (elements == 0) {
                source.control().stop();
            }
            return source.map(record -> {
                if (record.offset() == elements - 1) {
                    source.control().stop();
                }
                return record;
            });
        }

        @Override
        public Flow.Publisher<ConsumerRecord<String, String>> createFailedFlowPublisher() {
            CountingConsumer consumer = new CountingConsumer(1);
            Source<ConsumerRecord<String, String>> source = of(consumer);
            consumer.setPollException(new KafkaException("told to"));
            return source;
        }

        private static Source<ConsumerRecord<String, String>> of(CountingConsumer consumer) {
            CompletableFuture<PartitionStream<ConsumerRecord<String, String>>> first = new CompletableFuture<>();
            opened(KafkaSource.partitioned(settings(() -> consumer), CountingConsumer.all()))
                    .subscribe(new Probe<>(1, first::complete));
            return first.join().source();
        }
    }

    /** Class loading of a first source must not count as its response time. */
    @BeforeAll
    static void warmUp() throws Exception {
        Source<ConsumerRecord<String, String>> source =
                KafkaSource.plain(settings(() -> new CountingConsumer(1)), CountingConsumer.all());
        Probe<ConsumerRecord<String, String>> probe =
                new Probe<>(1, record -> source.control().stop());
        source.subscribe(probe);
        SourceStage.join(source.control().completion());
    }

    private static ConsumerSettings<String, String> settings(
            Supplier<? extends MockConsumer<byte[], byte[]>> consumers) {
        return ConsumerSettings.of(
                        Map.of("group.id", "tck", "enable.auto.commit", "false"),
                        new StringDeserializer(),
                        new StringDeserializer())
                .withClients(consumers)
                .withCloseLimit(java.time.Duration.ZERO)
                .withCloseOnShutdown(false);
    }

    private static <T> Stream<DynamicTest> verify(
            Function<ConsumerSettings<String, String>, Source<T>> sources, Function<T, Long> offset) {
        return Tck.of(() -> new Reading<>(sources, offset));
    }

    @TestFactory
    @DisplayName("B65 the stream of a partition:")
    Stream<DynamicTest> partition() {
        return Tck.of(ReadingPartition::new);
    }

    @TestFactory
    @DisplayName("B65 plain:")
    Stream<DynamicTest> plain() {
        return verify(settings -> KafkaSource.plain(settings, CountingConsumer.all()), ConsumerRecord::offset);
    }

    @TestFactory
    @DisplayName("B65 committable:")
    Stream<DynamicTest> committable() {
        return verify(
                settings -> KafkaSource.committable(settings, CountingConsumer.all()),
                record -> record.offset().offset());
    }

    @TestFactory
    @DisplayName("B65 transactional:")
    Stream<DynamicTest> transactional() {
        TransactionSettings<byte[], byte[]> transactions = TransactionSettings.of(
                        "tck", new ByteArraySerializer(), new ByteArraySerializer())
                .withClients(
                        () -> new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer()));
        return verify(
                settings -> KafkaSource.transactional(
                        settings.withProperty("isolation.level", "read_committed"),
                        CountingConsumer.all(),
                        transactions),
                record -> record.offset().offset());
    }

    /** A source of streams of partitions, which come a few at a time for as long as the source is read. */
    private static final class ReadingPartitions
            extends FlowPublisherVerification<PartitionStream<ConsumerRecord<String, String>>> {
        ReadingPartitions() {
            super(Tck.environmentWithThreads(), Tck.RELEASE_MILLIS);
        }

        @Override
        public Flow.Publisher<PartitionStream<ConsumerRecord<String, String>>> createFlowPublisher(long elements) {
            Source<PartitionStream<ConsumerRecord<String, String>>> source = opened(KafkaSource.partitioned(
                    settings(() -> new GrowingConsumer(elements)), Subscription.topics(GrowingConsumer.TOPIC)));
            if (elements == 0) {
                source.control().stop();
            }
            AtomicLong delivered = new AtomicLong();
            return source.map(stream -> {
                if (delivered.incrementAndGet() == elements) {
                    source.control().stop();
                }
                return stream;
            });
        }

        @Override
        public Flow.Publisher<PartitionStream<ConsumerRecord<String, String>>> createFailedFlowPublisher() {
            return KafkaSource.partitioned(
                    settings(() -> {
                        throw new IllegalStateException("told to");
                    }),
                    Subscription.topics(GrowingConsumer.TOPIC));
        }
    }

    @TestFactory
    @DisplayName("B65 partitioned, the source of its streams:")
    Stream<DynamicTest> partitioned() {
        return Tck.of(ReadingPartitions::new);
    }

    @TestFactory
    @DisplayName("B65 atMostOnce:")
    Stream<DynamicTest> atMostOnce() {
        return verify(settings -> KafkaSource.atMostOnce(settings, CountingConsumer.all()), ConsumerRecord::offset);
    }
}
