package dev.laneway;

import static dev.laneway.Stage.LIMIT;
import static dev.laneway.Stage.bytes;
import static dev.laneway.Stage.millis;
import static dev.laneway.Stage.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.LongDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What becomes of records that a policy sends away. */
@Timeout(120)
@DisplayName("Dead letters on a real broker")
class DeadLetterTest {
    @Test
    @DisplayName("B44 B45 a dead letter carries the raw bytes, the record's headers and where it came from")
    void deadLetter() {
        Stage stage = Stage.of(2);
        String letters = stage.topic + ".dlq";
        stage.kafka.createTopic(letters, 1);
        byte[] unreadable = {(byte) 0xff, 0, 1, 2, 3};
        RecordHeaders headers = new RecordHeaders(List.of(new RecordHeader("trace", bytes("42"))));
        stage.kafka.produce(List.of(
                new ProducerRecord<>(stage.topic, 1, 1_000L, bytes("good"), new byte[8]),
                new ProducerRecord<>(stage.topic, 1, 2_000L, bytes("bad"), unreadable, headers),
                new ProducerRecord<>(stage.topic, 1, 3_000L, bytes("good"), new byte[8])));
        AtomicInteger done = new AtomicInteger();
        try (Laneway laneway = Laneway.consumer(stage.config(Map.of()))
                .deserializers(new StringDeserializer(), new LongDeserializer())
                .subscribe(stage.topic)
                .onFailure(FailurePolicy.retry(Backoff.fixed(millis(1)), 9).thenDeadLetter(letters))
                .process(record -> {
                    done.incrementAndGet();
                })) {
            await().atMost(LIMIT).until(() -> stage.committed(1) == 3);
            assertThat(laneway.snapshot().counters().retries()).isZero();
        }
        assertThat(done.get()).isEqualTo(2);
        ConsumerRecord<byte[], byte[]> letter = stage.read(letters, 1).getFirst();
        assertThat(letter.value()).isEqualTo(unreadable);
        assertThat(letter.key()).isEqualTo(bytes("bad"));
        Map<String, String> told = StreamSupport.stream(letter.headers().spliterator(), false)
                .collect(Collectors.toMap(header -> header.key(), header -> String.valueOf(text(header.value()))));
        assertThat(told)
                .containsEntry("trace", "42")
                .containsEntry(DeadLetterHeaders.TOPIC, stage.topic)
                .containsEntry(DeadLetterHeaders.PARTITION, "1")
                .containsEntry(DeadLetterHeaders.OFFSET, "1")
                .containsEntry(DeadLetterHeaders.TIMESTAMP, "2000")
                .containsEntry(DeadLetterHeaders.GROUP, stage.group)
                .containsEntry(DeadLetterHeaders.EXCEPTION, RecordDeserializationException.class.getName())
                .containsEntry(DeadLetterHeaders.ATTEMPTS, "1")
                .containsKey(DeadLetterHeaders.REASON);
    }

    @Test
    @DisplayName("B44 a dead letter that the broker refuses stops the consumer; its record is not done")
    void deadLetterRefused() {
        Stage stage = Stage.of(1);
        String letters = stage.topic + ".dlq";
        stage.kafka.createTopic(letters, 1, 1, Map.of("max.message.bytes", "200"));
        stage.kafka.produce(List.of(
                new ProducerRecord<>(stage.topic, bytes("a"), bytes("small")),
                new ProducerRecord<>(stage.topic, bytes("b"), new byte[1_000])));
        Laneway laneway = stage.consumer()
                .onFailure(FailurePolicy.deadLetter(letters))
                .process(record -> {
                    if (record.value().length() > 100) {
                        throw new IllegalStateException("too long for the handler too");
                    }
                });
        assertThatThrownBy(() -> laneway.awaitTermination(LIMIT))
                .isInstanceOf(RecordFailedException.class)
                .hasMessageContaining("dead letter");
        assertThat(stage.committed(0)).isEqualTo(1);
    }

    @Test
    @DisplayName("B44 a dead-letter topic that is missing for a while is waited for")
    void deadLetterWaits() {
        Stage stage = Stage.of(1);
        String letters = stage.topic + ".dlq";
        stage.load(5, i -> "key-" + i);
        try (Laneway laneway = stage.consumer()
                .producer(Map.of("max.block.ms", 3_000))
                .commit(CommitMode.async(millis(50)))
                .onFailure(FailurePolicy.deadLetter(letters))
                .process(record -> {
                    if (record.value().equals("2")) {
                        throw new IllegalStateException("always");
                    }
                })) {
            await().atMost(LIMIT).until(() -> stage.committed(0) == 2);
            stage.kafka.createTopic(letters, 1);
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
            assertThat(laneway.state()).isEqualTo(State.RUNNING);
        }
        assertThat(stage.read(letters, 1)).hasSize(1);
    }
}
