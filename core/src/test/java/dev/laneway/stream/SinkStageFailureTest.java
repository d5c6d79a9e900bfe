package dev.laneway.stream;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.laneway.Backoff;
import dev.laneway.FailurePolicy;
import dev.laneway.SendFailedException;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.NotEnoughReplicasException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.Serializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the stage behind the producing sinks does when a record fails. */
@Timeout(30)
class SinkStageFailureTest extends SendingFixture {
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
        SinkStage<Envelope<String, String, Integer>, String, String, Result<String, String, Integer>> sending =
                new SinkStage<>(settings, new ElementShape.Enveloped<>(), machine());
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
}
