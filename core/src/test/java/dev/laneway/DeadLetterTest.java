package dev.laneway;

import static dev.laneway.Stage.LIMIT;
import static dev.laneway.Stage.bytes;
import static dev.laneway.Stage.millis;
import static dev.laneway.Stage.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.config.provider.FileConfigProvider;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.LongDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Records that a policy sends to a dead-letter topic. */
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
        assertThat(told(letter))
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

    /** A topic for dead letters that takes few bytes, and a record that it does not take. */
    private static Stage small(String letters, int bytes) {
        Stage stage = Stage.of(1);
        stage.kafka.createTopic(stage.topic + letters, 1, 1, Map.of("max.message.bytes", Integer.toString(bytes)));
        stage.kafka.produce(List.of(
                new ProducerRecord<>(stage.topic, bytes("a"), bytes("small")),
                new ProducerRecord<>(stage.topic, bytes("b"), new byte[10_000])));
        return stage;
    }

    private static void refuseLong(ConsumerRecord<String, String> record) {
        if (record.value().length() > 100) {
            throw new IllegalStateException("too long for the handler too");
        }
    }

    @Test
    @DisplayName("B44 B107 a dead letter that the broker refuses for its size is sent without the value, and says so")
    void tooLarge() {
        Stage stage = small(".dlq", 2_000);
        String letters = stage.topic + ".dlq";
        try (Laneway laneway =
                stage.consumer().onFailure(FailurePolicy.deadLetter(letters)).process(DeadLetterTest::refuseLong)) {
            await().atMost(LIMIT).until(() -> stage.isCommittedToEnd() || laneway.state() != State.RUNNING);
            assertThat(laneway.state()).isEqualTo(State.RUNNING);
            assertThat(laneway.snapshot().counters().deadLettered()).isEqualTo(1);
        }
        ConsumerRecord<byte[], byte[]> letter = stage.read(letters, 1).getFirst();
        assertThat(letter.value()).isNull();
        assertThat(letter.key()).isEqualTo(bytes("b"));
        assertThat(told(letter))
                .containsEntry(DeadLetterHeaders.OMITTED, "value")
                .containsEntry(DeadLetterHeaders.TOPIC, stage.topic)
                .containsEntry(DeadLetterHeaders.PARTITION, "0")
                .containsEntry(DeadLetterHeaders.OFFSET, "1")
                .containsEntry(DeadLetterHeaders.EXCEPTION, IllegalStateException.class.getName());
    }

    @Test
    @DisplayName("B107 what fits without our stack keeps its value")
    void brief() {
        Stage stage = Stage.of(1);
        String letters = stage.topic + ".dlq";
        stage.kafka.createTopic(letters, 1, 1, Map.of("max.message.bytes", "10600"));
        stage.kafka.produce(List.of(new ProducerRecord<>(stage.topic, bytes("b"), new byte[10_000])));
        try (Laneway _ =
                stage.consumer().onFailure(FailurePolicy.deadLetter(letters)).process(DeadLetterTest::refuseLong)) {
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
        }
        ConsumerRecord<byte[], byte[]> letter = stage.read(letters, 1).getFirst();
        assertThat(letter.value()).hasSize(10_000);
        assertThat(told(letter)).doesNotContainKeys(DeadLetterHeaders.OMITTED, DeadLetterHeaders.STACK);
    }

    @Test
    @DisplayName("B44 B107 a dead letter that does not fit at all stops the consumer; its record is not done")
    void doesNotFitAtAll() {
        Stage stage = small(".dlq", 200);
        Laneway laneway = stage.consumer()
                .onFailure(FailurePolicy.deadLetter(stage.topic + ".dlq"))
                .process(DeadLetterTest::refuseLong);
        assertThatThrownBy(() -> laneway.awaitTermination(LIMIT))
                .isInstanceOf(RecordFailedException.class)
                .hasMessageContaining("dead letter");
        assertThat(stage.committed(0)).isEqualTo(1);
    }

    @Test
    @DisplayName("B107 what follows a dead letter that does not fit at all, a rule may say: skip, or another topic")
    void thenByRule() {
        for (boolean skips : new boolean[] {true, false}) {
            Stage stage = small(".dlq", 200);
            String other = stage.topic + ".other";
            stage.kafka.createTopic(other, 1);
            FailurePolicy then = skips ? FailurePolicy.skip() : FailurePolicy.deadLetter(other);
            try (Laneway laneway = stage.consumer()
                    .onFailure(FailurePolicy.deadLetter(stage.topic + ".dlq").on(RecordTooLargeException.class, then))
                    .process(DeadLetterTest::refuseLong)) {
                await().atMost(LIMIT).until(stage::isCommittedToEnd);
                assertThat(laneway.snapshot().counters().skipped()).isEqualTo(skips ? 1 : 0);
            }
            if (!skips) {
                assertThat(stage.read(other, 1).getFirst().value()).hasSize(10_000);
            }
        }
    }

    @Test
    @DisplayName("B107 a message of a million characters is cut, and a record of 5 MB goes with its value")
    void largeParts() {
        Stage stage = Stage.of(1);
        Map<String, String> large = Map.of("max.message.bytes", "10000000");
        String input = stage.topic + ".in";
        String letters = stage.topic + ".dlq";
        stage.kafka.createTopic(input, 1, 1, large);
        stage.kafka.createTopic(letters, 1, 1, large);
        try (Producer<byte[], byte[]> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", stage.kafka.bootstrapServers(), "max.request.size", 10_000_000),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            var _ = producer.send(new ProducerRecord<>(input, bytes("a"), new byte[5_000_000]));
        }
        try (Laneway laneway = Laneway.consumer(stage.config(Map.of()))
                .subscribe(input)
                .onFailure(FailurePolicy.deadLetter(letters))
                .process(record -> {
                    throw new IllegalStateException("x".repeat(1_000_000), new IOException("the deepest"));
                })) {
            await().atMost(LIMIT)
                    .until(() -> laneway.snapshot().counters().deadLettered() == 1 || laneway.state() != State.RUNNING);
            assertThat(laneway.state()).isEqualTo(State.RUNNING);
        }
        ConsumerRecord<byte[], byte[]> letter = stage.read(letters, 1).getFirst();
        assertThat(letter.value()).hasSize(5_000_000);
        Map<String, String> told = told(letter);
        assertThat(told.get(DeadLetterHeaders.REASON))
                .hasSizeLessThanOrEqualTo(1_000)
                .endsWith("of 1000000");
        assertThat(told.get(DeadLetterHeaders.CAUSE)).isEqualTo("java.io.IOException: the deepest");
        assertThat(told.get(DeadLetterHeaders.STACK))
                .hasSizeLessThanOrEqualTo(4_000)
                .contains("IllegalStateException: xxx", "at ");
    }

    @Test
    @DisplayName("B113 B119 whatever handlers change, the next attempt and the dead letter have the record as it was")
    void byteForByte() {
        Stage stage = Stage.of(1);
        String letters = stage.topic + ".dlq";
        stage.kafka.createTopic(letters, 1);
        RecordHeaders headers = new RecordHeaders(List.of(new RecordHeader("trace", bytes("42"))));
        stage.kafka.produce(List.of(new ProducerRecord<>(stage.topic, 0, bytes("key"), bytes("value"), headers)));
        Queue<String> seen = new ConcurrentLinkedQueue<>();
        try (Laneway _ = Laneway.consumer(stage.config(Map.of()))
                .subscribe(stage.topic)
                .onFailure(FailurePolicy.retry(Backoff.fixed(millis(1)), 3).thenDeadLetter(letters))
                .process((record, context) -> {
                    seen.add(text(record.key()) + " " + text(record.value()) + " "
                            + record.headers().toArray().length + " "
                            + context.lastFailure().map(Throwable::getMessage).orElse("none"));
                    record.headers().add("tried", bytes("yes"));
                    record.headers().lastHeader("trace").value()[0] = 'x';
                    Arrays.fill(record.key(), (byte) 'x');
                    Arrays.fill(record.value(), (byte) 'x');
                    throw new IllegalStateException("attempt " + context.attempt());
                })) {
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
        }
        assertThat(seen).containsExactly("key value 1 none", "key value 1 attempt 1", "key value 1 attempt 2");
        ConsumerRecord<byte[], byte[]> letter = stage.read(letters, 1).getFirst();
        assertThat(letter.key()).isEqualTo(bytes("key"));
        assertThat(letter.value()).isEqualTo(bytes("value"));
        assertThat(told(letter)).containsEntry("trace", "42").doesNotContainKey("tried");
    }

    @Test
    @DisplayName("B119 a function of record and failure chooses the topic")
    void routed() {
        Stage stage = Stage.of(1);
        for (String end : List.of(".arithmetic", ".asked")) {
            stage.kafka.createTopic(stage.topic + end, 1);
        }
        stage.load(2, i -> "key-" + i);
        try (Laneway _ = stage.consumer()
                .onFailure(FailurePolicy.deadLetter(
                        (record, failure) -> record.topic() + (failure.isPresent() ? ".arithmetic" : ".asked")))
                .process((record, context) -> {
                    if (record.value().equals("0")) {
                        throw new ArithmeticException();
                    }
                    return Outcome.deadLetter("I do not like it");
                })) {
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
        }
        assertThat(text(stage.read(stage.topic + ".arithmetic", 1).getFirst().value()))
                .isEqualTo("0");
        assertThat(text(stage.read(stage.topic + ".asked", 1).getFirst().value()))
                .isEqualTo("1");
    }

    @Test
    @DisplayName("B119 a function that names no topic stops the consumer; its record is not done")
    void routedNowhere() {
        Stage stage = Stage.of(1);
        stage.load(1, i -> "key");
        Laneway laneway = stage.consumer()
                .onFailure(FailurePolicy.deadLetter((record, failure) -> " "))
                .process(record -> {
                    throw new ArithmeticException();
                });
        assertThatThrownBy(() -> laneway.awaitTermination(LIMIT))
                .isInstanceOf(RecordFailedException.class)
                .hasMessageContaining("thenDeadLetter's function gave a blank name");
        assertThat(stage.committed(0)).isLessThanOrEqualTo(0);
    }

    @Test
    @DisplayName("B128 what is emitted before a skip or a dead letter is sent; before a retry, the next attempt's is")
    void emits() {
        Stage stage = Stage.of(1);
        String letters = stage.topic + ".dlq";
        String out = stage.topic + ".out";
        stage.kafka.createTopic(letters, 1);
        stage.kafka.createTopic(out, 1);
        stage.load(3, i -> "key");
        try (Laneway laneway = stage.consumer()
                .onFailure(FailurePolicy.deadLetter(letters))
                .process((record, context) -> {
                    context.emit(new ProducerRecord<>(out, bytes(record.value() + " in attempt " + context.attempt())));
                    return switch (record.value()) {
                        case "0" -> Outcome.skip("old");
                        case "1" -> Outcome.deadLetter("bad");
                        default -> context.attempt() == 1 ? Outcome.retryAfter(millis(1)) : Outcome.done();
                    };
                })) {
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
            assertThat(laneway.snapshot().counters().skipped()).isEqualTo(1);
            assertThat(laneway.snapshot().counters().deadLettered()).isEqualTo(1);
        }
        assertThat(stage.read(out, 3).stream().map(record -> text(record.value())))
                .containsExactly("0 in attempt 1", "1 in attempt 1", "2 in attempt 2");
        assertThat(stage.read(letters, 1)).hasSize(1);
    }

    @Test
    @DisplayName("B117 the log tells of dead letters once they have arrived, and of one a second")
    void log() {
        Stage stage = Stage.of(1);
        String letters = stage.topic + ".dlq";
        stage.load(200, i -> "key-" + i);
        try (Logs logs = Logs.of(stage.topic);
                Laneway laneway = stage.consumer()
                        .producer(Map.of("max.block.ms", 2_000))
                        .onFailure(FailurePolicy.deadLetter(letters))
                        .process(record -> {
                            throw new IllegalStateException("always");
                        })) {
            await().atMost(LIMIT).until(() -> logs.messages().stream().anyMatch(line -> line.contains("sending for")));
            assertThat(logs.messages()).noneMatch(line -> line.contains("dead-lettered"));
            assertThat(logs.messages()).noneMatch(line -> line.contains("PT"));
            stage.kafka.createTopic(letters, 1);
            await().atMost(LIMIT).until(() -> laneway.snapshot().counters().deadLettered() == 200);
            assertThat(logs.messages().stream().filter(line -> line.contains("dead-lettered")))
                    .isNotEmpty()
                    .hasSizeLessThan(100);
        }
    }

    @Test
    @DisplayName("B113 what the connection properties refer to reaches the producer, too")
    void configProviders(@TempDir Path directory) throws IOException {
        Stage stage = Stage.of(1);
        String letters = stage.topic + ".dlq";
        stage.kafka.createTopic(letters, 1);
        stage.load(1, i -> "key");
        Path file = Files.writeString(
                directory.resolve("brokers.properties"), "brokers=" + stage.kafka.bootstrapServers() + "\n");
        try (Laneway laneway = stage.consumer(Map.of(
                        "bootstrap.servers",
                        "${file:" + file + ":brokers}",
                        "config.providers",
                        "file",
                        "config.providers.file.class",
                        FileConfigProvider.class.getName()))
                .onFailure(FailurePolicy.deadLetter(letters))
                .process(record -> {
                    throw new IllegalStateException("always");
                })) {
            await().atMost(LIMIT).until(() -> laneway.snapshot().counters().deadLettered() == 1);
        }
    }

    private static Map<String, String> told(ConsumerRecord<byte[], byte[]> letter) {
        return StreamSupport.stream(letter.headers().spliterator(), false)
                .collect(Collectors.toMap(header -> header.key(), header -> String.valueOf(text(header.value()))));
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
