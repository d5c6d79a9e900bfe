package dev.laneway.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.laneway.Backoff;
import dev.laneway.FailurePolicy;
import dev.laneway.SendFailedException;
import dev.laneway.SharedKafka;
import dev.laneway.testkit.EmbeddedKafka;
import dev.laneway.testkit.KafkaCluster;
import dev.laneway.testkit.TcpProxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
@DisplayName("Producing sinks on a real broker")
class KafkaSinkTest {
    private static final int PARTITIONS = 4;
    private static final AtomicInteger NUMBER = new AtomicInteger();

    private final KafkaCluster kafka = SharedKafka.get();
    private final String topic = topic(kafka);

    private static String topic(KafkaCluster kafka) {
        String topic = "sink-" + NUMBER.incrementAndGet();
        kafka.createTopic(topic, PARTITIONS);
        return topic;
    }

    private ProducerSettings<String, String> settings() {
        return settings(kafka);
    }

    private static ProducerSettings<String, String> settings(KafkaCluster kafka) {
        return ProducerSettings.of(
                Map.of("bootstrap.servers", kafka.bootstrapServers(), "client.id", "sink-under-test"),
                new StringSerializer(),
                new StringSerializer());
    }

    private ProducerRecord<String, String> record(int number) {
        return new ProducerRecord<>(topic, "key-" + number % 20, String.valueOf(number));
    }

    /** The values of each partition, in the order of the log. */
    private List<List<String>> log() {
        List<List<String>> log = new ArrayList<>();
        Map<TopicPartition, Long> ends = kafka.endOffsets(topic);
        try (Consumer<byte[], byte[]> consumer = kafka.consumer("reader")) {
            for (int number = 0; number < PARTITIONS; number++) {
                TopicPartition partition = new TopicPartition(topic, number);
                List<String> values = new ArrayList<>();
                consumer.assign(List.of(partition));
                consumer.seek(partition, 0);
                while (values.size() < ends.get(partition)) {
                    consumer.poll(Duration.ofMillis(100))
                            .forEach(record -> values.add(new String(record.value(), StandardCharsets.UTF_8)));
                }
                log.add(values);
            }
        }
        return log;
    }

    private static long producerThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().contains("sink-under-test"))
                .count();
    }

    @Test
    @DisplayName("B77 plain: everything is written, in the order of the stream, and completion waits for the last one")
    void plain() {
        int records = 50_000;
        Control control = Source.from(Numbers.to(records)).map(this::record).to(KafkaSink.plain(settings()));
        control.completion().toCompletableFuture().join();
        List<List<String>> log = log();
        assertThat(log.stream().mapToInt(List::size).sum()).isEqualTo(records);
        for (List<String> partition : log) {
            List<Integer> numbers = partition.stream().map(Integer::valueOf).toList();
            assertThat(numbers).isSorted().doesNotHaveDuplicates();
        }
        assertThat(producerThreads())
                .as("its own producer is closed when it completes")
                .isZero();
    }

    @Test
    @DisplayName("B77 plain: a stream without elements completes")
    void empty() {
        Control control = Source.from(Numbers.to(0)).map(this::record).to(KafkaSink.plain(settings()));
        control.completion().toCompletableFuture().join();
        assertThat(log()).allMatch(List::isEmpty);
    }

    @Test
    @DisplayName("B77 a shared producer serves several sinks and is not closed")
    void shared() throws Exception {
        try (Producer<byte[], byte[]> producer = kafka.producer(Map.of())) {
            ProducerSettings<String, String> settings =
                    ProducerSettings.of(producer, new StringSerializer(), new StringSerializer());
            for (int stream = 0; stream < 3; stream++) {
                Control control = Source.from(Numbers.to(100)).map(this::record).to(KafkaSink.plain(settings));
                control.completion().toCompletableFuture().join();
            }
            RecordMetadata still = producer.send(new ProducerRecord<>(topic, new byte[0], new byte[0]))
                    .get(10, TimeUnit.SECONDS);
            assertThat(still.hasOffset()).isTrue();
        }
        assertThat(kafka.endOffsets(topic).values().stream()
                        .mapToLong(end -> end)
                        .sum())
                .isEqualTo(301);
    }

    @Test
    @DisplayName("B77 B79 flow: results in the order of the envelopes, each with where its records are")
    void flow() {
        int envelopes = 3_000;
        Probe<Result<String, String, Integer>> probe = Probe.asking(Long.MAX_VALUE);
        Source.from(Numbers.to(envelopes))
                .map(this::envelope)
                .via(KafkaSink.flow(settings()))
                .subscribe(probe);
        probe.end().join();
        assertThat(probe.elements())
                .extracting(Result::passThrough)
                .containsExactlyElementsOf(IntStream.range(0, envelopes).boxed().toList());
        List<List<String>> log = log();
        for (Result<String, String, Integer> result : probe.elements()) {
            List<RecordMetadata> places = ((Result.Sent<String, String, Integer>) result).metadata();
            List<ProducerRecord<String, String>> records = result.envelope().records();
            assertThat(places).hasSameSizeAs(records);
            for (int i = 0; i < places.size(); i++) {
                RecordMetadata place = places.get(i);
                assertThat(log.get(place.partition()).get((int) place.offset()))
                        .isEqualTo(records.get(i).value());
            }
        }
        assertThat(probe.violations()).isEmpty();
    }

    /** One, several or no record. */
    private Envelope<String, String, Integer> envelope(int number) {
        return switch (number % 4) {
            case 0 -> Envelope.multi(List.of(record(number), record(number + 1), record(number + 2)), number);
            case 1 -> Envelope.passThrough(number);
            case 2 -> Envelope.multi(List.of(), number);
            default -> Envelope.single(record(number), number);
        };
    }

    @Test
    @DisplayName("B77 back-pressure reaches the upstream: while nobody takes results, no more is sent than may be held")
    void backPressure() {
        HandPublisher<Envelope<String, String, Integer>> above = new HandPublisher<>();
        Probe<Result<String, String, Integer>> probe = Probe.asking(0);
        Source.from(above)
                .via(KafkaSink.flow(settings().withMaxInFlightRecords(10)))
                .subscribe(probe);
        AtomicInteger sent = new AtomicInteger();
        await().during(Duration.ofMillis(300)).until(() -> {
            while (sent.get() < above.requested()) {
                above.send(Envelope.single(record(sent.get()), sent.getAndIncrement()));
            }
            return written() == 20;
        });
        assertThat(sent.get()).isBetween(20, 35);
        probe.request(5);
        await().until(() -> probe.size() == 5);
        await().until(() -> written() == 25);
        probe.cancel();
    }

    private long written() {
        return kafka.endOffsets(topic).values().stream().mapToLong(end -> end).sum();
    }

    @Test
    @DisplayName("B78 stop: the failure names the record that is too large, and the sink's own producer is closed")
    void stop() {
        Control control = Source.from(Numbers.to(10))
                .map(number -> number == 5 ? tooLarge() : record(number))
                .to(KafkaSink.plain(settings().withProperty("max.request.size", 1_000)));
        assertThatThrownBy(() -> control.completion().toCompletableFuture().join())
                .isInstanceOf(CompletionException.class)
                .cause()
                .isInstanceOfSatisfying(
                        SendFailedException.class,
                        failure -> assertThat(failure.record()).isEqualTo(tooLarge()))
                .cause()
                .isInstanceOf(RecordTooLargeException.class)
                .hasMessageContaining("more than max.request.size of the producer allows");
        assertThat(producerThreads()).isZero();
        assertThat(written()).isEqualTo(5);
    }

    @Test
    @DisplayName("B78 skip: all but the record that is too large is written")
    void skip() {
        Control control = Source.from(Numbers.to(10))
                .map(number -> number == 5 ? tooLarge() : record(number))
                .to(KafkaSink.plain(
                        settings().withProperty("max.request.size", 1_000).withOnFailure(FailurePolicy.skip())));
        control.completion().toCompletableFuture().join();
        assertThat(written()).isEqualTo(9);
    }

    @Tag("own-broker")
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName(
            "B124 B125 a broker that is away for longer than delivery.timeout.ms: nothing is skipped, and keys keep"
                    + " their order, with a policy that skips and with one that retries")
    void outage(boolean skips) throws Exception {
        try (EmbeddedKafka away = EmbeddedKafka.builder().network("cut").start()) {
            String there = topic(away);
            int records = 3_000;
            FailurePolicy policy = skips
                    ? FailurePolicy.skip()
                    : FailurePolicy.retry(Backoff.exponential(Duration.ofMillis(100), Duration.ofSeconds(1)));
            ProducerSettings<String, String> settings = ProducerSettings.of(
                            Map.of(
                                    "bootstrap.servers",
                                    away.network("cut").bootstrapServers(),
                                    "delivery.timeout.ms",
                                    3_000,
                                    "request.timeout.ms",
                                    2_000,
                                    "max.block.ms",
                                    1_000,
                                    "reconnect.backoff.max.ms",
                                    200),
                            new StringSerializer(),
                            new StringSerializer())
                    .withOnFailure(policy);
            HandPublisher<ProducerRecord<String, String>> above = new HandPublisher<>();
            Sink<ProducerRecord<String, String>> sink = KafkaSink.plain(settings);
            above.subscribe(sink);
            CountDownLatch cut = new CountDownLatch(1);
            Thread writer = Thread.startVirtualThread(() -> {
                for (int i = 0; i < records; i++) {
                    if (i == records / 3) {
                        await().until(() -> away.endOffsets(there).values().stream()
                                        .mapToLong(end -> end)
                                        .sum()
                                > 0);
                        away.network("cut").all(TcpProxy::cut);
                        cut.countDown();
                    }
                    int number = i;
                    if (above.requested() <= number) {
                        await().atMost(Duration.ofMinutes(1)).until(() -> above.requested() > number);
                    }
                    above.send(new ProducerRecord<>(there, "key-" + i % 20, String.valueOf(i)));
                }
                above.complete();
            });
            cut.await();
            await().pollDelay(Duration.ofSeconds(7)).until(() -> true); // Several delivery timeouts.
            away.network("cut").all(TcpProxy::heal);
            sink.completion().toCompletableFuture().get(90, TimeUnit.SECONDS);
            writer.join();
            assertKeysInOrder(away, there, records);
        }
    }

    /** Every record is there, and the records of a key go back only to repeat what was sent again. */
    private static void assertKeysInOrder(KafkaCluster broker, String topic, int records) {
        Map<String, Integer> last = new HashMap<>();
        Set<Integer> seen = new HashSet<>();
        try (Consumer<byte[], byte[]> consumer = broker.consumer("reader")) {
            consumer.subscribe(List.of(topic));
            long ends = broker.endOffsets(topic).values().stream()
                    .mapToLong(end -> end)
                    .sum();
            for (long read = 0; read < ends; ) {
                for (var record : consumer.poll(Duration.ofMillis(100))) {
                    read++;
                    int number = Integer.parseInt(new String(record.value(), StandardCharsets.UTF_8));
                    String key = new String(record.key(), StandardCharsets.UTF_8);
                    int before = last.getOrDefault(key, -1);
                    assertThat(number)
                            .as("%s after %s", number, before)
                            .isLessThanOrEqualTo(before < 0 ? number : before + 20);
                    last.put(key, number);
                    seen.add(number);
                }
            }
        }
        assertThat(seen).hasSize(records);
        assertThat(last.values()).allMatch(number -> number >= records - 20);
    }

    @Test
    @DisplayName("B124 a stray interrupt of the thread that brings the elements costs none of them, and is kept")
    void strayInterrupt() throws Exception {
        HandPublisher<ProducerRecord<String, String>> above = new HandPublisher<>();
        Sink<ProducerRecord<String, String>> sink = KafkaSink.plain(settings().withOnFailure(FailurePolicy.skip()));
        above.subscribe(sink);
        await().until(() -> above.requested() > 0);
        AtomicBoolean kept = new AtomicBoolean();
        Thread writer = Thread.startVirtualThread(() -> {
            Thread.currentThread().interrupt();
            for (int i = 0; i < 50; i++) {
                above.send(record(i));
            }
            kept.set(Thread.interrupted());
            above.complete();
        });
        writer.join();
        sink.completion().toCompletableFuture().get(60, TimeUnit.SECONDS);
        assertThat(kept).isTrue();
        assertThat(written()).isEqualTo(50);
    }

    @Test
    @DisplayName("B124 a shared producer that was closed ends the stream, and skips nothing")
    void closedProducer() {
        Producer<byte[], byte[]> closed = kafka.producer(Map.of());
        closed.close();
        Control control = Source.from(Numbers.to(100))
                .map(this::record)
                .to(KafkaSink.plain(ProducerSettings.of(closed, new StringSerializer(), new StringSerializer())
                        .withOnFailure(FailurePolicy.skip())));
        assertThatThrownBy(() -> control.completion().toCompletableFuture().join())
                .cause()
                .isInstanceOf(SendFailedException.class)
                .hasCauseInstanceOf(IllegalStateException.class);
    }

    private ProducerRecord<String, String> tooLarge() {
        return new ProducerRecord<>(topic, "key", "x".repeat(2_000));
    }

    @Test
    @DisplayName("B78 a topic that does not exist fails the stream within max.block.ms, and says which")
    void noTopic() {
        Control control = Source.from(Numbers.to(1))
                .map(number -> new ProducerRecord<>("no-such-topic", "key", "value"))
                .to(KafkaSink.plain(settings().withProperty("max.block.ms", 200)));
        assertThatThrownBy(() -> control.completion().toCompletableFuture().join())
                .cause()
                .isInstanceOf(SendFailedException.class)
                .hasMessageContaining("no-such-topic")
                .hasCauseInstanceOf(TimeoutException.class);
    }

    @Test
    @DisplayName("B52 a configuration that Kafka refuses fails the sink when the stream starts")
    void wrongProperty() {
        Control control = Source.from(Numbers.to(1))
                .map(this::record)
                .to(KafkaSink.plain(settings().withProperty("linger.ms", -5)));
        assertThatThrownBy(() -> control.completion().toCompletableFuture().join())
                .hasStackTraceContaining("linger.ms");
    }

    @Tag("own-broker")
    @Test
    @DisplayName("B77 a thread that is not virtual is not blocked, though the broker is away")
    void callerIsNotBlocked() {
        try (EmbeddedKafka away = EmbeddedKafka.start()) {
            String there = topic(away);
            ProducerSettings<String, String> settings = settings(away);
            away.stop(1);
            HandPublisher<ProducerRecord<String, String>> above = new HandPublisher<>();
            Sink<ProducerRecord<String, String>> sink = KafkaSink.plain(settings);
            above.subscribe(sink);
            await().until(() -> above.requested() > 0);
            // The producer would wait for metadata for a minute.
            above.send(new ProducerRecord<>(there, "key", "value"));
            above.complete();
            assertThat(sink.completion().toCompletableFuture()).isNotDone();
            away.start(1);
            sink.completion().toCompletableFuture().join();
            assertThat(away.endOffsets(there).values().stream()
                            .mapToLong(end -> end)
                            .sum())
                    .isEqualTo(1);
        }
    }

    @Test
    @DisplayName("B58 cancelling closes the sink's own producer")
    void cancel() {
        Flow.Processor<Envelope<String, String, Integer>, Result<String, String, Integer>> flow =
                KafkaSink.flow(settings());
        Probe<Result<String, String, Integer>> probe = Probe.asking(1);
        flow.subscribe(probe);
        new HandPublisher<Envelope<String, String, Integer>>().subscribe(flow);
        await().until(() -> producerThreads() == 1);
        probe.cancel();
        await().until(() -> producerThreads() == 0);
    }
}
