package dev.laneway.stream;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.Backoff;
import dev.laneway.FailurePolicy;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the stage behind the producing sinks sends, confirms and holds back. */
@Timeout(30)
class SinkStageTest extends SendingFixture {
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
                IntStream.range(0, LIMIT + 2).mapToObj(SinkStageTest::record).toList(), 1));
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
    @DisplayName("B66 cancelling releases what is held, its retries included, and does not close a shared producer")
    void cancel() {
        SinkStage<?, ?, ?, ?> sending =
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
        SinkStage<ProducerRecord<String, String>, String, String, ProducerRecord<String, String>> sending =
                new SinkStage<>(settings(), new ElementShape.Bare<>(), machine());
        DrainSink<ProducerRecord<String, String>> nobody = new DrainSink<>();
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
