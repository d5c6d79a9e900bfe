package dev.laneway.engine.track;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.Backoff;
import dev.laneway.DeadLetterHeaders;
import dev.laneway.FailurePolicy;
import dev.laneway.Options;
import dev.laneway.Outcome;
import dev.laneway.RecordFailedException;
import dev.laneway.engine.Records;
import dev.laneway.engine.Shop;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.header.Header;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What records send: dead letters, and their handlers' outputs. */
class OutgoingRecordsTest {
    private static final FailurePolicy LETTER =
            FailurePolicy.retry(Backoff.fixed(Duration.ofMillis(1)), 2).thenDeadLetter("dlq");
    private final List<Long> handled = new ArrayList<>();

    // ---------------------------------------------------------------- dead letters

    @Test
    @DisplayName("B44 a dead letter is acknowledged by the broker before the offset is done")
    void acknowledgedFirst() {
        Shop shop = failing(LETTER);
        shop.poll("a").retry();
        assertThat(shop.producer.history()).hasSize(1);
        assertThat(shop.committable()).isZero();
        assertThat(shop.track.busy()).as("what is sent is in flight").isEqualTo(1);
        shop.acknowledge();
        assertThat(shop.committable()).isEqualTo(1);
        assertThat(shop.track.busy()).isZero();
        assertThat(shop.machine.counts.deadLettered.sum()).isEqualTo(1);
        assertThat(shop.machine.counts.emitted.sum()).isZero();
    }

    @Test
    @DisplayName("B44 it carries key, value and headers byte for byte, and where, when, why and how often")
    void headers() {
        Shop shop = failing(LETTER);
        ConsumerRecord<byte[], byte[]> record = Records.record(0, "a");
        record.headers().add("trace", new byte[] {0, -1}).add("trace", new byte[] {7});
        shop.track.append(new Chunk(List.of(record)), 1);
        shop.machine.scheduler.workArrived();
        shop.turn().retry();

        ProducerRecord<byte[], byte[]> letter = shop.producer.history().getFirst();
        assertThat(letter.topic()).isEqualTo("dlq");
        assertThat(letter.partition()).isNull();
        assertThat(letter.key()).isSameAs(record.key());
        assertThat(letter.value()).isSameAs(record.value());
        assertThat(letter.headers().headers("trace"))
                .extracting(Header::value)
                .containsExactly(new byte[] {0, -1}, new byte[] {7});
        assertThat(header(letter, DeadLetterHeaders.TOPIC)).isEqualTo("orders");
        assertThat(header(letter, DeadLetterHeaders.PARTITION)).isEqualTo("0");
        assertThat(header(letter, DeadLetterHeaders.OFFSET)).isEqualTo("0");
        assertThat(header(letter, DeadLetterHeaders.TIMESTAMP)).isEqualTo("1700000000000");
        assertThat(header(letter, DeadLetterHeaders.GROUP)).isEqualTo("group");
        assertThat(header(letter, DeadLetterHeaders.EXCEPTION)).isEqualTo("java.io.IOException");
        assertThat(header(letter, DeadLetterHeaders.REASON)).isEqualTo("no stock");
        assertThat(header(letter, DeadLetterHeaders.ATTEMPTS)).isEqualTo("2");
        assertThat(record.headers().toArray())
                .as("the record itself is not changed")
                .hasSize(2);
    }

    @Test
    @DisplayName("B45 a record that cannot be read reaches the dead-letter topic as it came")
    void unreadable() {
        Shop shop = Shop.each(
                Options.DEFAULTS.withFailurePolicy(LETTER),
                (topic, bytes) -> {
                    throw new SerializationException("not an order");
                },
                (record, context) -> Outcome.done());
        byte[] bytes = "no such thing".getBytes(StandardCharsets.UTF_8);
        shop.track.append(new Chunk(List.of(new ConsumerRecord<>("orders", 0, 0, null, bytes))), 1);
        shop.machine.scheduler.workArrived();
        shop.turn();
        ProducerRecord<byte[], byte[]> letter = shop.producer.history().getFirst();
        assertThat(letter.value()).isSameAs(bytes);
        assertThat(letter.key()).isNull();
        assertThat(header(letter, DeadLetterHeaders.ATTEMPTS)).isEqualTo("1");
        assertThat(header(letter, DeadLetterHeaders.EXCEPTION)).isEqualTo("dev.laneway.RecordDeserializationException");
        shop.acknowledge();
        assertThat(shop.committable()).isEqualTo(1);
    }

    @Test
    @DisplayName("B44 a handler that asks for a dead letter gives the reason; there is no exception to name")
    void askedFor() {
        Shop shop = Shop.each(
                Options.DEFAULTS.withFailurePolicy(LETTER), (record, context) -> Outcome.deadLetter("no such shop"));
        shop.poll("a").acknowledge();
        ProducerRecord<byte[], byte[]> letter = shop.producer.history().getFirst();
        assertThat(header(letter, DeadLetterHeaders.REASON)).isEqualTo("no such shop");
        assertThat(header(letter, DeadLetterHeaders.EXCEPTION)).isNull();
        assertThat(shop.committable()).isEqualTo(1);
    }

    @Test
    @DisplayName("B44 a dead letter without a topic stops the consumer, and says how to name one")
    void noTopic() {
        Shop shop = Shop.each(Options.DEFAULTS, (record, context) -> Outcome.deadLetter("no such shop"));
        shop.poll("a");
        assertThat(shop.fatal.getFirst())
                .hasMessage("record orders-0@0 stopped the consumer: its handler asked for a dead letter (no such shop)"
                        + " but failurePolicy names no topic: add thenDeadLetter(topic)");
    }

    @Test
    @DisplayName("B44 a dead letter that is not acknowledged is sent again, then the consumer stops")
    void sentAgain() {
        Shop shop = failing(FailurePolicy.deadLetter("dlq"));
        shop.poll("a");
        for (int i = 0; i < 4; i++) {
            shop.refuse(new TimeoutException("no answer"));
            assertThat(shop.fatal).isEmpty();
            assertThat(shop.redeliveries).hasSize(1);
            shop.redeliver();
            assertThat(shop.producer.history()).hasSize(i + 2);
        }
        shop.refuse(new TimeoutException("no answer"));
        assertThat(shop.fatal.getFirst())
                .isInstanceOf(RecordFailedException.class)
                .hasMessage("record orders-0@0 stopped the consumer: its dead letter cannot be sent: mend the topic or"
                        + " the producer's configuration")
                .hasCauseInstanceOf(TimeoutException.class);
        assertThat(shop.committable()).isZero();
        assertThat(shop.track.busy()).isZero();
    }

    @Test
    @DisplayName("B124 what a record emits is skipped for what the record is, not because no broker took it")
    void skipsOnlyItsOwnFault() {
        Shop shop = emitting(FailurePolicy.skip(), 1);
        shop.poll("a");
        for (int i = 0; i < 4; i++) {
            shop.refuse(new TimeoutException("no answer"));
            shop.redeliver();
        }
        shop.refuse(new TimeoutException("no answer"));
        assertThat(shop.fatal).hasSize(1);
        assertThat(shop.committable()).isZero();

        shop = emitting(FailurePolicy.skip(), 1);
        shop.poll("a").refuse(new RecordTooLargeException("1 GB"));
        assertThat(shop.fatal).isEmpty();
        assertThat(shop.committable()).isEqualTo(1);
    }

    @Test
    @DisplayName("B44 the delays between deliveries grow")
    void deliveriesBackOff() {
        Shop shop = failing(FailurePolicy.deadLetter("dlq"));
        shop.poll("a");
        List<Long> delays = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            shop.refuse(new TimeoutException("no answer"));
            delays.add(shop.redeliveries.getFirst().delayNanos());
            shop.redeliver();
        }
        assertThat(delays).isSorted();
        assertThat(delays.getFirst()).isBetween(80_000_000L, 120_000_000L);
        assertThat(delays.getLast()).isBetween(640_000_000L, 960_000_000L);
    }

    @Test
    @DisplayName("B44 what no repetition can mend stops the consumer at once")
    void refusedForGood() {
        Shop shop = failing(FailurePolicy.deadLetter("dlq"));
        shop.poll("a").refuse(new InvalidTopicException("no such name"));
        assertThat(shop.redeliveries).isEmpty();
        assertThat(shop.fatal).hasSize(1);
    }

    @Test
    @DisplayName("B107 a letter that is too large is sent without stack, then without value; then the consumer stops")
    void smallerLetters() {
        Shop shop = failing(FailurePolicy.deadLetter("dlq"));
        shop.poll("a");
        for (int i = 0; i < 3; i++) {
            assertThat(shop.fatal).isEmpty();
            shop.refuse(new RecordTooLargeException("too large"));
        }
        assertThat(shop.fatal).hasSize(1);
        List<ProducerRecord<byte[], byte[]>> sent = shop.producer.history();
        assertThat(sent).extracting(letter -> letter.value() != null).containsExactly(true, true, false);
        assertThat(sent)
                .extracting(letter -> header(letter, DeadLetterHeaders.STACK) != null)
                .containsExactly(true, false, false);
        assertThat(sent)
                .extracting(letter -> header(letter, DeadLetterHeaders.OMITTED))
                .containsExactly(null, null, "value");
        assertThat(sent)
                .allSatisfy(letter ->
                        assertThat(header(letter, DeadLetterHeaders.OFFSET)).isEqualTo("0"));
        assertThat(shop.committable()).isZero();
    }

    @Test
    @DisplayName("B107 B128 an output before a dead letter that is too large is not sent twice")
    void outputBeforeALargeLetter() {
        Shop shop =
                Shop.each(Options.DEFAULTS.withFailurePolicy(FailurePolicy.deadLetter("dlq")), (record, context) -> {
                    context.emit(new ProducerRecord<>("out", new byte[1]));
                    return Outcome.deadLetter("bad");
                });
        shop.poll("a").acknowledge().refuse(new RecordTooLargeException("too large"));
        assertThat(shop.producer.history()).extracting(ProducerRecord::topic).containsExactly("out", "dlq", "dlq");
        shop.acknowledge();
        assertThat(shop.committable()).isEqualTo(1);
    }

    // ---------------------------------------------------------------- outputs

    @Test
    @DisplayName("B18 a record is done when all it sends is acknowledged; its lane goes on before")
    void emits() {
        Shop shop = emitting(FailurePolicy.DEFAULT, 2);
        shop.poll("aa");
        assertThat(handled).containsExactly(0L, 1L);
        assertThat(shop.producer.history())
                .extracting(sent -> new String(sent.value(), StandardCharsets.UTF_8))
                .containsExactly("0.0", "0.1", "1.0", "1.1");
        shop.acknowledge();
        assertThat(shop.committable()).isZero();
        shop.acknowledge();
        assertThat(shop.committable()).isEqualTo(1);
        shop.acknowledge().acknowledge();
        assertThat(shop.committable()).isEqualTo(2);
        assertThat(shop.machine.counts.emitted.sum()).isEqualTo(2);
    }

    @Test
    @DisplayName("B44 only what was not acknowledged is sent again, in its order")
    void onlyTheRefused() {
        Shop shop = emitting(FailurePolicy.DEFAULT, 3);
        shop.poll("a");
        shop.refuse(new TimeoutException("0.0")).acknowledge().refuse(new TimeoutException("0.2"));
        shop.redeliver();
        assertThat(shop.producer.history().subList(3, 5))
                .extracting(sent -> new String(sent.value(), StandardCharsets.UTF_8))
                .containsExactly("0.0", "0.2");
        shop.acknowledge();
        assertThat(shop.committable()).isZero();
        shop.acknowledge();
        assertThat(shop.committable()).isEqualTo(1);
    }

    @Test
    @DisplayName("B43 outputs that cannot be sent follow the policy: stop")
    void outputsThenStop() {
        Shop shop = emitting(FailurePolicy.DEFAULT, 1);
        shop.poll("a").refuse(new RecordTooLargeException("too large"));
        assertThat(shop.fatal.getFirst())
                .hasMessageContaining("what it emits cannot be sent: the output to partition out-0 has 3 bytes, more");
        assertThat(shop.track.busy()).isZero();
    }

    @Test
    @DisplayName("B43 outputs that cannot be sent follow the policy: skip")
    void outputsThenSkip() {
        Shop shop = emitting(FailurePolicy.skip(), 1);
        shop.poll("a").refuse(new RecordTooLargeException("too large"));
        assertThat(shop.committable()).isEqualTo(1);
        assertThat(shop.machine.counts.skipped.sum()).isEqualTo(1);
        assertThat(shop.fatal).isEmpty();
    }

    @Test
    @DisplayName("B43 outputs that cannot be sent follow the policy: the record goes to the dead-letter topic")
    void outputsThenDeadLetter() {
        Shop shop = emitting(FailurePolicy.deadLetter("dlq"), 1);
        shop.poll("a").refuse(new RecordTooLargeException("too large"));
        assertThat(shop.producer.history()).hasSize(2);
        ProducerRecord<byte[], byte[]> letter = shop.producer.history().getLast();
        assertThat(letter.topic()).isEqualTo("dlq");
        assertThat(header(letter, DeadLetterHeaders.REASON))
                .startsWith("the output to partition out-0 has 3 bytes, more than max.message.bytes of the topic");
        assertThat(shop.committable()).isZero();
        shop.acknowledge();
        assertThat(shop.committable()).isEqualTo(1);
    }

    @Test
    @DisplayName("B35 what is acknowledged after the partition has gone is late")
    void lateAcknowledgement() {
        Shop shop = emitting(FailurePolicy.DEFAULT, 1);
        shop.poll("a");
        assertThat(shop.track.drop()).isEqualTo(1);
        shop.acknowledge();
        assertThat(shop.machine.counts.late.sum()).isEqualTo(1);
        assertThat(shop.track.busy()).isZero();
    }

    @Test
    @DisplayName("B35 what is refused after the partition has gone is its next owner's to send: nothing stops")
    void lateRefusal() {
        Shop shop = emitting(FailurePolicy.DEFAULT, 1);
        shop.poll("ab");
        shop.track.drop();
        shop.refuse(new RecordTooLargeException("too large")).refuse(new TimeoutException("no answer"));
        assertThat(shop.fatal).isEmpty();
        assertThat(shop.redeliveries).isEmpty();
        assertThat(shop.machine.counts.late.sum()).isEqualTo(2);
        assertThat(shop.track.busy()).isZero();
    }

    @Test
    @DisplayName("B35 a worker that hands outputs to the producer is not interrupted, and its lane is late afterwards")
    void notInterruptedInTheProducer() {
        Shop shop = emitting(FailurePolicy.DEFAULT, 1);
        List<Boolean> interrupted = new ArrayList<>();
        shop.onSend = () -> {
            shop.track.drop();
            interrupted.add(Thread.currentThread().isInterrupted());
        };
        shop.poll("aa");
        assertThat(interrupted).containsExactly(false);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        assertThat(handled).containsExactly(0L);
        assertThat(shop.fatal).isEmpty();
    }

    @Test
    @DisplayName("B99 each output is handed to the producer with a clear flag, whatever the one before it left behind")
    void clearFlagInTheProducer() {
        Shop shop = emitting(FailurePolicy.DEFAULT, 2);
        List<Boolean> interrupted = new ArrayList<>();
        shop.onSend = () -> {
            interrupted.add(Thread.currentThread().isInterrupted());
            Thread.currentThread().interrupt();
        };
        shop.poll("a");
        assertThat(interrupted).containsExactly(false, false);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    @DisplayName("B99 a producer that was interrupted while it waited is asked again")
    void interruptedInTheProducer() {
        Shop shop = emitting(FailurePolicy.stop(), 1);
        shop.poll("a").refuse(new InterruptException("the pool is closed"));
        assertThat(shop.fatal).isEmpty();
        assertThat(shop.redeliveries).hasSize(1);
        assertThat(Thread.interrupted()).as("set by Kafka's exception").isTrue();
        shop.redeliver().acknowledge();
        assertThat(shop.committable()).isEqualTo(1);
    }

    private Shop failing(FailurePolicy policy) {
        return Shop.each(Options.DEFAULTS.withFailurePolicy(policy), (record, context) -> {
            throw new IOException("no stock");
        });
    }

    private Shop emitting(FailurePolicy policy, int outputs) {
        return Shop.each(Options.DEFAULTS.withFailurePolicy(policy), (record, context) -> {
            handled.add(record.offset());
            for (int i = 0; i < outputs; i++) {
                byte[] value = (record.offset() + "." + i).getBytes(StandardCharsets.UTF_8);
                context.emit(new ProducerRecord<>("out", value));
            }
            return Outcome.done();
        });
    }

    private static String header(ProducerRecord<byte[], byte[]> record, String name) {
        return Shop.text(record.headers().lastHeader(name));
    }
}
