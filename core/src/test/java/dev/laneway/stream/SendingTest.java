package dev.laneway.stream;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.laneway.Backoff;
import dev.laneway.FailurePolicy;
import dev.laneway.SendFailedException;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.NotEnoughReplicasException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.Serializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The stage behind the producing sinks, with a broker whose answers the test gives. */
@Timeout(30)
class SendingTest {
    private static final String TOPIC = "out";
    private static final int LIMIT = 8;

    private final HandProducer producer = new HandProducer();
    private final HandAlarm alarm = new HandAlarm();
    private final HandPublisher<Envelope<String, String, Integer>> above = new HandPublisher<>();
    private final Probe<Result<String, String, Integer>> probe = Probe.asking(0);

    private Sending<Envelope<String, String, Integer>, String, String, Result<String, String, Integer>> run(
            UnaryOperator<ProducerSettings<String, String>> settings) {
        Sending<Envelope<String, String, Integer>, String, String, Result<String, String, Integer>> sending =
                new Sending<>(settings.apply(settings()), new Shape.Enveloped<>(), machine());
        above.subscribe(sending);
        sending.subscribe(probe);
        return sending;
    }

    private ProducerSettings<String, String> settings() {
        return ProducerSettings.of(producer, new StringSerializer(), new StringSerializer())
                .withMaxInFlightRecords(LIMIT);
    }

    /** Everything on the test's own thread. */
    private Machine machine() {
        return new Machine(Runnable::run, alarm, RandomGenerator.getDefault());
    }

    private static ProducerRecord<String, String> record(int number) {
        return new ProducerRecord<>(TOPIC, "key", String.valueOf(number));
    }

    private void send(int from, int to) {
        IntStream.range(from, to).forEach(number -> above.send(Envelope.single(record(number), number)));
    }

    private List<Integer> results() {
        return probe.elements().stream().map(Result::passThrough).toList();
    }

    private List<RecordMetadata> metadata(int number) {
        return ((Result.Sent<String, String, Integer>) probe.elements().get(number)).metadata();
    }

    private SendFailedException failure(int number) {
        return ((Result.Failed<String, String, Integer>) probe.elements().get(number)).failure();
    }

    private List<String> sent() {
        return producer.sent().stream()
                .map(record -> new String(record.value(), UTF_8))
                .toList();
    }

    @Test
    @DisplayName("B77 confirmations come in the order of the input, whatever the order of the broker's answers")
    void order() {
        run(settings -> settings);
        probe.request(10);
        send(0, 4);
        producer.acknowledge(3);
        producer.acknowledge(1);
        assertThat(results()).isEmpty();
        producer.acknowledge(0);
        assertThat(results()).containsExactly(0, 1);
        above.complete();
        assertThat(probe.end()).isNotDone();
        producer.acknowledge(2);
        assertThat(results()).containsExactly(0, 1, 2, 3);
        assertThat(probe.end()).isCompleted();
        assertThat(probe.violations()).isEmpty();
    }

    @Test
    @DisplayName("B77 no more records are in flight than the limit, and those above are asked for little more")
    void limitOfRecords() {
        run(settings -> settings);
        probe.request(Long.MAX_VALUE);
        assertThat(above.requested()).isEqualTo(LIMIT);
        send(0, LIMIT);
        assertThat(sent()).hasSize(LIMIT);
        int more = (int) above.requested();
        assertThat(more).isBetween(LIMIT + 1, 2 * LIMIT);
        send(LIMIT, more);
        assertThat(sent()).hasSize(LIMIT);
        assertThat(above.requested()).as("back-pressure").isLessThanOrEqualTo(2 * LIMIT + 1);
        producer.acknowledge(0);
        assertThat(sent()).hasSize(LIMIT + 1);
    }

    @Test
    @DisplayName("B77 what is confirmed and not taken is bounded, too: as many as may be in flight, and those")
    void untaken() {
        run(settings -> settings);
        for (int round = 0; round < 2; round++) {
            send(round * LIMIT, (round + 1) * LIMIT);
            IntStream.range(round * LIMIT, (round + 1) * LIMIT).forEach(producer::acknowledge);
        }
        send(2 * LIMIT, 2 * LIMIT + 1);
        assertThat(sent()).hasSize(2 * LIMIT);
        probe.request(1);
        assertThat(sent()).hasSize(2 * LIMIT + 1);
    }

    @Test
    @DisplayName("B77 one that is not answered holds up the order, but not what is sent beside it, up to the limit")
    void slowPartition() {
        run(settings -> settings);
        probe.request(Long.MAX_VALUE);
        send(0, LIMIT);
        int sent = LIMIT;
        while (sent < 2 * LIMIT) {
            send(sent, sent + 1);
            assertThat(sent()).as("the limit in flight").hasSize(sent);
            producer.acknowledge(sent - 1);
            sent++;
            assertThat(sent()).hasSize(sent);
        }
        assertThat(results()).isEmpty();
        send(sent, sent + 1);
        producer.acknowledge(sent - 1);
        assertThat(sent()).as("as many wait for their turn as may").hasSize(2 * LIMIT);
        producer.acknowledge(0);
        assertThat(results()).containsExactly(0);
        assertThat(sent()).hasSize(2 * LIMIT + 1);
    }

    @Test
    @DisplayName("B77 no more bytes are in flight than the limit; a record larger than it passes alone")
    void limitOfBytes() {
        run(settings -> settings.withMaxInFlightBytes(10));
        probe.request(Long.MAX_VALUE);
        // Keys have 3 bytes, these values 1.
        send(0, 4);
        assertThat(sent()).containsExactly("0", "1");
        producer.acknowledge(0);
        assertThat(sent()).containsExactly("0", "1", "2");
        String large = "a value of more than ten bytes";
        above.send(Envelope.single(new ProducerRecord<>(TOPIC, large), 4));
        producer.acknowledge(1);
        producer.acknowledge(2);
        assertThat(sent()).hasSize(4);
        producer.acknowledge(3);
        assertThat(sent()).last().isEqualTo(large);
        send(5, 6);
        assertThat(sent()).hasSize(5);
        producer.acknowledge(4);
        assertThat(sent()).hasSize(6);
    }

    @Test
    @DisplayName("B77 headers count in bytes, too, and reach the record with its partition and its timestamp")
    void wholeRecord() {
        run(settings -> settings.withMaxInFlightBytes(10));
        probe.request(Long.MAX_VALUE);
        ProducerRecord<String, String> full = new ProducerRecord<>(TOPIC, 3, 77L, "k", "v");
        full.headers().add("trace", "123".getBytes(UTF_8));
        above.send(Envelope.single(full, 0));
        send(1, 2);
        ProducerRecord<byte[], byte[]> first = producer.sent().getFirst();
        assertThat(first.partition()).isEqualTo(3);
        assertThat(first.timestamp()).isEqualTo(77);
        assertThat(first.headers()).isEqualTo(full.headers());
        assertThat(sent()).as("10 bytes are in flight").hasSize(1);
        producer.acknowledge(0);
        assertThat(sent()).hasSize(2);
    }

    @Test
    @DisplayName("B77 B79 a batch without records is fine: it comes out in its turn, and nothing is sent")
    void emptyBatch() {
        run(settings -> settings);
        probe.request(10);
        send(0, 1);
        above.send(Envelope.multi(List.of(), 1));
        above.send(Envelope.passThrough(2));
        assertThat(results()).isEmpty();
        producer.acknowledge(0);
        assertThat(results()).containsExactly(0, 1, 2);
        assertThat(sent()).hasSize(1);
        assertThat(metadata(1)).isEmpty();
    }

    @Test
    @DisplayName("B79 many records of one envelope are confirmed together, each with its place")
    void multi() {
        run(settings -> settings);
        probe.request(10);
        above.send(Envelope.multi(List.of(record(0), record(1), record(2)), 7));
        producer.acknowledge(2);
        producer.acknowledge(0);
        assertThat(results()).isEmpty();
        producer.acknowledge(1);
        assertThat(results()).containsExactly(7);
        assertThat(metadata(0)).extracting(place -> place.offset()).containsExactly(0L, 1L, 2L);
    }

    @Test
    @DisplayName("B77 each record of an envelope counts; an envelope with more of them than the limit passes alone")
    void largeEnvelope() {
        run(settings -> settings);
        probe.request(10);
        send(0, 1);
        above.send(Envelope.multi(
                IntStream.range(0, LIMIT + 2).mapToObj(SendingTest::record).toList(), 1));
        assertThat(sent()).hasSize(1);
        producer.acknowledge(0);
        assertThat(sent()).hasSize(LIMIT + 3);
        send(2, 4);
        assertThat(sent()).hasSize(LIMIT + 3);
        IntStream.range(1, LIMIT + 3).forEach(producer::acknowledge);
        assertThat(sent())
                .as("all of the envelope's records are out of the way")
                .hasSize(LIMIT + 5);
    }

    @Test
    @DisplayName("B78 stop: what precedes is confirmed, the failure names the record, nothing more is sent")
    void stop() {
        run(settings -> settings);
        probe.request(10);
        send(0, 3);
        producer.refuse(1, new RecordTooLargeException("told to"));
        send(3, 4);
        assertThat(sent()).hasSize(3);
        assertThat(probe.end()).isNotDone();
        producer.acknowledge(0);
        assertThat(results()).containsExactly(0);
        assertThatThrownBy(() -> probe.end().join())
                .cause()
                .isInstanceOfSatisfying(
                        SendFailedException.class,
                        failure -> assertThat(failure.record()).isEqualTo(record(1)))
                .hasMessageContaining("topic out")
                .hasMessageNotContaining("key")
                .hasCauseInstanceOf(RecordTooLargeException.class);
        assertThat(above.isCancelled()).isTrue();
    }

    @Test
    @DisplayName("B78 the stream stops without demand, too, when the element that failed is the next one")
    void stopWithoutDemand() {
        run(settings -> settings);
        send(0, 1);
        producer.refuse(0, new RecordTooLargeException("told to"));
        assertThat(probe.end()).isCompletedExceptionally();
    }

    @Test
    @DisplayName("B78 skip: the element fails in its turn, with its record, and the stream goes on")
    void skip() {
        run(settings -> settings.withOnFailure(FailurePolicy.skip()));
        probe.request(10);
        send(0, 3);
        producer.refuse(1, new RecordTooLargeException("told to"));
        producer.acknowledge(2);
        assertThat(results()).isEmpty();
        producer.acknowledge(0);
        assertThat(results()).containsExactly(0, 1, 2);
        assertThat(failure(1).record()).isEqualTo(record(1));
        above.complete();
        assertThat(probe.end()).isCompleted();
    }

    @Test
    @DisplayName("B78 an envelope of which one record is refused fails, when all of them are answered")
    void partOfMany() {
        run(settings -> settings.withOnFailure(FailurePolicy.skip()));
        probe.request(10);
        above.send(Envelope.multi(List.of(record(0), record(1), record(2)), 7));
        producer.refuse(1, new RecordTooLargeException("told to"));
        producer.acknowledge(0);
        assertThat(results()).isEmpty();
        producer.acknowledge(2);
        assertThat(probe.elements()).hasSize(1);
        assertThat(failure(0).record()).isEqualTo(record(1));
    }

    @Test
    @DisplayName(
            "B78 B125 what Kafka calls retriable is sent again after the delay, and what the broker has behind it, too")
    void retry() {
        FailurePolicy three =
                FailurePolicy.retry(Backoff.fixed(Duration.ofSeconds(1)).withJitter(0), 3);
        run(settings -> settings.withOnFailure(three));
        probe.request(10);
        above.send(Envelope.multi(List.of(record(0), record(1)), 7));
        send(8, 9);
        producer.acknowledge(0);
        producer.acknowledge(2);
        producer.refuse(1, new TimeoutException("delivery.timeout.ms has passed"));
        assertThat(sent()).hasSize(3);
        alarm.pass(Duration.ofSeconds(1).toNanos() - 1);
        assertThat(sent()).hasSize(3);
        alarm.pass(1);
        assertThat(sent()).as("and what is behind it").containsExactly("0", "1", "8", "1", "8");
        producer.acknowledge(4);
        assertThat(results()).isEmpty();
        producer.acknowledge(3);
        assertThat(results()).containsExactly(7, 8);
    }

    @Test
    @DisplayName("B78 attempts come to an end, then the policy's last word counts")
    void retriesEnd() {
        FailurePolicy two = FailurePolicy.retry(Backoff.fixed(Duration.ofSeconds(1)), 2);
        run(settings -> settings.withOnFailure(two));
        probe.request(10);
        send(0, 1);
        producer.refuse(0, new NotEnoughReplicasException("told to"));
        alarm.pass(Duration.ofSeconds(2).toNanos());
        producer.refuse(1, new NotEnoughReplicasException("told to"));
        alarm.pass(Duration.ofSeconds(20).toNanos());
        assertThat(sent()).hasSize(2);
        assertThatThrownBy(() -> probe.end().join()).cause().hasMessageContaining("after 2 attempts");
    }

    @Test
    @DisplayName("B125 nothing overtakes what is sent again: neither new elements nor others that were refused")
    void notOvertaken() {
        run(settings -> settings.withOnFailure(
                FailurePolicy.retry(Backoff.fixed(Duration.ofSeconds(1)).withJitter(0))));
        probe.request(20);
        send(0, 4);
        producer.refuse(2, new TimeoutException("told to"));
        send(4, 6);
        alarm.pass(Duration.ofSeconds(5).toNanos());
        assertThat(sent()).as("0, 1 and 3 are not answered").hasSize(4);
        producer.acknowledge(0);
        producer.refuse(1, new TimeoutException("told to"));
        producer.acknowledge(3);
        assertThat(sent()).hasSize(4);
        alarm.pass(Duration.ofSeconds(1).toNanos());
        assertThat(sent()).containsExactly("0", "1", "2", "3", "1", "2", "3", "4", "5");
        IntStream.range(4, 9).forEach(producer::acknowledge);
        assertThat(results()).containsExactly(0, 1, 2, 3, 4, 5);
        above.complete();
        assertThat(probe.end()).isCompleted();
    }

    @Test
    @DisplayName("B125 other keys and records without one are not sent twice")
    void otherKeys() {
        run(settings -> settings.withOnFailure(
                FailurePolicy.retry(Backoff.fixed(Duration.ofSeconds(1)).withJitter(0))));
        probe.request(20);
        send(0, 1);
        above.send(Envelope.single(new ProducerRecord<>(TOPIC, "other", "1"), 1));
        above.send(Envelope.single(new ProducerRecord<>(TOPIC, null, "2"), 2));
        above.send(Envelope.multi(List.of(new ProducerRecord<>(TOPIC, "other", "3"), record(4)), 3));
        producer.acknowledge(1);
        producer.acknowledge(2);
        producer.acknowledge(3);
        producer.acknowledge(4);
        producer.refuse(0, new TimeoutException("told to"));
        alarm.pass(Duration.ofSeconds(1).toNanos());
        assertThat(sent()).containsExactly("0", "1", "2", "3", "4", "0", "4");
        producer.acknowledge(5);
        producer.acknowledge(6);
        assertThat(results()).containsExactly(0, 1, 2, 3);
    }

    @Test
    @DisplayName("B124 a policy that skips waits where the record is not at fault")
    void skipWaits() {
        run(settings -> settings.withOnFailure(FailurePolicy.skip()));
        probe.request(10);
        send(0, 2);
        producer.refuse(0, new TimeoutException("the broker is away"));
        producer.refuse(1, new TimeoutException("the broker is away"));
        for (int attempt = 1; attempt < 10; attempt++) {
            alarm.pass(Duration.ofSeconds(20).toNanos());
            assertThat(sent()).hasSize(2 + 2 * attempt);
            producer.refuse(2 * attempt, new TimeoutException("the broker is away"));
            producer.refuse(2 * attempt + 1, new TimeoutException("the broker is away"));
        }
        alarm.pass(Duration.ofSeconds(20).toNanos());
        producer.acknowledge(20);
        producer.acknowledge(21);
        assertThat(probe.elements())
                .allMatch(result -> result instanceof Result.Sent)
                .hasSize(2);
    }

    @Test
    @DisplayName("B124 a policy that skips stops the stream where nothing mends what is not the record's fault")
    void skipStops() {
        run(settings -> settings.withOnFailure(FailurePolicy.skip()));
        probe.request(10);
        send(0, 1);
        producer.refuse(0, new IllegalStateException("Cannot perform operation after producer has been closed"));
        assertThatThrownBy(() -> probe.end().join()).cause().hasCauseInstanceOf(IllegalStateException.class);
        assertThat(results()).isEmpty();
    }

    @Test
    @DisplayName("B78 what no attempt can mend is not sent again")
    void notRetriable() {
        run(settings -> settings.withOnFailure(FailurePolicy.retry(Backoff.fixed(Duration.ofSeconds(1)))));
        probe.request(10);
        send(0, 1);
        producer.refuse(0, new RecordTooLargeException("told to"));
        assertThat(probe.end()).isCompletedExceptionally();
        assertThat(alarm.made()).isZero();
    }

    @Test
    @DisplayName("B78 a policy may tell failures apart, a record that cannot be serialised among them")
    void byType() {
        Serializer<String> picky = (topic, data) -> {
            if (data.equals("1")) {
                throw new SerializationException("told to");
            }
            return data.getBytes(UTF_8);
        };
        ProducerSettings<String, String> settings = ProducerSettings.of(producer, new StringSerializer(), picky)
                .withOnFailure(FailurePolicy.stop().on(SerializationException.class, FailurePolicy.skip()));
        Sending<Envelope<String, String, Integer>, String, String, Result<String, String, Integer>> sending =
                new Sending<>(settings, new Shape.Enveloped<>(), machine());
        above.subscribe(sending);
        sending.subscribe(probe);
        probe.request(10);
        send(0, 3);
        assertThat(sent()).containsExactly("0", "2");
        producer.acknowledge(0);
        producer.acknowledge(1);
        assertThat(results()).containsExactly(0, 1, 2);
        assertThat(probe.elements().get(1)).isInstanceOf(Result.Failed.class);
        send(3, 4);
        producer.refuse(2, new RecordTooLargeException("told to"));
        assertThat(probe.end()).isCompletedExceptionally();
    }

    @Test
    @DisplayName("B66 cancelling releases what is held, its retries included, and does not close a shared producer")
    void cancel() {
        Sending<?, ?, ?, ?> sending =
                run(settings -> settings.withOnFailure(FailurePolicy.retry(Backoff.fixed(Duration.ofSeconds(1)))));
        probe.request(10);
        send(0, 2);
        producer.refuse(0, new TimeoutException("told to"));
        probe.cancel();
        assertThat(alarm.pending()).isZero();
        assertThat(above.isCancelled()).isTrue();
        producer.acknowledge(1);
        assertThat(results()).isEmpty();
        assertThat(sending.closed()).isCompleted();
        assertThat(producer.isClosed()).isFalse();
    }

    @Test
    @DisplayName("B77 a bare sink looks at confirmations when it needs room, and at the end")
    void bare() {
        Sending<ProducerRecord<String, String>, String, String, ProducerRecord<String, String>> sending =
                new Sending<>(settings(), new Shape.Bare<>(), machine());
        Nobody<ProducerRecord<String, String>> nobody = new Nobody<>();
        HandPublisher<ProducerRecord<String, String>> publisher = new HandPublisher<>();
        publisher.subscribe(sending);
        sending.subscribe(nobody);
        for (int number = 0; number < LIMIT + 2; number++) {
            publisher.send(record(number));
        }
        assertThat(sent()).hasSize(LIMIT);
        producer.acknowledge(0);
        producer.acknowledge(1);
        assertThat(sent()).as("a quarter of the limit is free").hasSize(LIMIT + 2);
        publisher.complete();
        for (int number = 2; number < LIMIT + 2; number++) {
            assertThat(nobody.completion().toCompletableFuture()).isNotDone();
            producer.acknowledge(number);
        }
        assertThat(nobody.completion().toCompletableFuture()).isCompleted();
    }
}
