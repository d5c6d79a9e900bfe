package dev.laneway;

import static dev.laneway.Stage.LIMIT;
import static dev.laneway.Stage.millis;
import static dev.laneway.Stage.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Read, compute, write: readers of committed records see each input's outputs once. */
@Execution(ExecutionMode.CONCURRENT) // It mostly waits.
@Timeout(120)
@DisplayName("Exactly-once on a real broker")
class ExactlyOnceTest {
    private static final int RECORDS = 2_000;
    private static final int KEYS = 37;

    private final Stage stage = Stage.of(3);
    private final String out = stage.topic + ".out";

    ExactlyOnceTest() {
        stage.kafka.createTopic(out, 2);
    }

    private LanewayBuilder<String, String> consumer() {
        return stage.consumer().commit(CommitMode.exactlyOnce(stage.topic).withInterval(millis(20)));
    }

    /** The number of the input, and nothing for each fifth. */
    private TransformHandler<String, String, String, String> computing() {
        return record -> Integer.parseInt(record.value()) % 5 == 0
                ? List.of()
                : List.of(new ProducerRecord<>(out, record.key(), record.value()));
    }

    private Laneway start(LanewayBuilder<String, String> builder) {
        return builder.transform(new StringSerializer(), new StringSerializer(), computing());
    }

    /** What a producer of ours is made with. */
    private Map<String, Object> producing() {
        Map<String, Object> config = new HashMap<>(stage.config(Map.of()));
        config.keySet().removeAll(List.of("group.id", "auto.offset.reset"));
        config.put("transactional.id", stage.topic + "-0-0");
        return config;
    }

    /** All committed records in the topic of outputs, in order. */
    private List<ConsumerRecord<byte[], byte[]>> committed() {
        long ends = stage.kafka.endOffsets(out).values().stream()
                .mapToLong(Long::longValue)
                .sum();
        List<ConsumerRecord<byte[], byte[]>> all = new ArrayList<>();
        try (Consumer<byte[], byte[]> reader =
                stage.kafka.consumer(Map.of("group.id", "reader-of-" + out, "isolation.level", "read_committed"))) {
            reader.subscribe(List.of(out));
            await().atMost(LIMIT).until(() -> {
                reader.poll(Duration.ofMillis(50)).forEach(all::add);
                return !reader.assignment().isEmpty()
                        && reader.assignment().stream()
                                        .mapToLong(reader::position)
                                        .sum()
                                >= ends;
            });
        }
        return all;
    }

    private void outputsAreThereOnce(int records) {
        List<ConsumerRecord<byte[], byte[]>> all = committed();
        assertThat(all.stream().map(record -> Integer.parseInt(String.valueOf(text(record.value())))))
                .containsExactlyInAnyOrderElementsOf(IntStream.range(0, records)
                        .filter(i -> i % 5 != 0)
                        .boxed()
                        .toList());
        Map<String, List<Integer>> byKey = all.stream()
                .collect(Collectors.groupingBy(
                        record -> String.valueOf(text(record.key())),
                        Collectors.mapping(
                                record -> Integer.parseInt(String.valueOf(text(record.value()))),
                                Collectors.toList())));
        assertThat(byKey.values()).allSatisfy(values -> assertThat(values).isSorted());
    }

    @Test
    @DisplayName("B62 outputs that take the room of records to come are written before the interval is over")
    void outputsFillTheBudget() {
        stage.load(20, i -> "key-" + i);
        try (Laneway _ = stage.consumer()
                .commit(CommitMode.exactlyOnce(stage.topic).withInterval(Duration.ofMinutes(5)))
                .bufferBytes(1_000)
                .transform(
                        new StringSerializer(),
                        new StringSerializer(),
                        record -> List.of(new ProducerRecord<>(out, record.key(), "x".repeat(600))))) {
            await().atMost(LIMIT)
                    .until(() ->
                            IntStream.range(0, 3).mapToLong(stage::committed).sum() >= 17);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"beginTransaction", "send", "sendOffsetsToTransaction", "commitTransaction", "after the commit"})
    @DisplayName("B60 a member that dies at any point of the cycle: each input's outputs are there once, in key order")
    void diesAnywhere(String point) {
        stage.load(RECORDS, i -> "key-" + i % KEYS);
        AtomicInteger calls = new AtomicInteger();
        AtomicBoolean dead = new AtomicBoolean();
        Around dying = (method, arguments, real) -> {
            boolean after = point.equals("after the commit") && method.equals("commitTransaction");
            boolean now = !dead.get()
                    && (after || method.equals(point))
                    && calls.incrementAndGet() == (method.equals("send") ? 500 : 3);
            if (now && after) {
                var _ = real.call();
            }
            if (now) {
                dead.set(true);
            }
            if (dead.get() && !method.equals("close")) {
                throw new AssertionError("the process has died"); // Whatever it tries from now on never happens.
            }
            return real.call();
        };
        Laneway first = consumer()
                .concurrency(4)
                .closeLimit(Duration.ZERO)
                .producer(() -> dying.producer(producing()))
                .transform(new StringSerializer(), new StringSerializer(), record -> {
                    Stage.work(millis(1)); // So that there are several transactions.
                    return computing().handle(record);
                });
        assertThatThrownBy(() -> first.awaitTermination(LIMIT)).isInstanceOf(BrokerException.class);
        try (Laneway second = start(consumer())) {
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
            assertThat(second.state()).isEqualTo(State.RUNNING);
        }
        outputsAreThereOnce(RECORDS);
    }

    @Test
    @DisplayName("B61 an aborted transaction is written again, in order, and no handler runs twice")
    void repeatsAborted() {
        stage.load(RECORDS, i -> "key-" + i % KEYS);
        AtomicInteger calls = new AtomicInteger();
        Map<String, Integer> runs = new ConcurrentHashMap<>();
        Around failing = (method, arguments, real) -> {
            if (method.equals("sendOffsetsToTransaction") && calls.incrementAndGet() % 2 == 1) {
                throw new KafkaException("spoilt by the test");
            }
            return real.call();
        };
        try (Laneway laneway = consumer()
                .producer(() -> failing.producer(producing()))
                .transform(new StringSerializer(), new StringSerializer(), record -> {
                    runs.merge(record.value(), 1, Integer::sum);
                    return computing().handle(record);
                })) {
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
            assertThat(laneway.state()).isEqualTo(State.RUNNING);
            assertThat(laneway.snapshot().counters().failedCommits()).isPositive();
            assertThat(laneway.snapshot().counters().emitted()).isEqualTo(RECORDS - RECORDS / 5);
        }
        assertThat(runs)
                .hasSize(RECORDS)
                .allSatisfy((value, times) -> assertThat(times).isEqualTo(1));
        outputsAreThereOnce(RECORDS);
    }

    @Test
    @DisplayName("B61 an abort that is not answered is asked for again; the consumer goes on")
    void unansweredAbort() {
        stage.load(RECORDS, i -> "key-" + i % KEYS);
        AtomicInteger sent = new AtomicInteger();
        AtomicInteger aborts = new AtomicInteger();
        Around silent = (method, arguments, real) -> {
            if (method.equals("sendOffsetsToTransaction") && sent.incrementAndGet() == 1) {
                throw new TimeoutException("spoilt by the test");
            }
            if (method.equals("abortTransaction") && aborts.incrementAndGet() <= 2) {
                throw new TimeoutException("no answer, says the test");
            }
            return real.call();
        };
        try (Laneway laneway = start(consumer().producer(() -> silent.producer(producing())))) {
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
            assertThat(laneway.state()).isEqualTo(State.RUNNING);
            assertThat(aborts).hasValue(3);
        }
        outputsAreThereOnce(RECORDS);
    }

    @ParameterizedTest
    @ValueSource(strings = {"commitTransaction", "abortTransaction"})
    @DisplayName("B53 B61 an ending that is never answered does not hold up close(); the next one writes all, once")
    void closeWithoutAnswer(String ending) {
        stage.load(RECORDS, i -> "key-" + i % KEYS);
        AtomicInteger unanswered = new AtomicInteger();
        AtomicBoolean closed = new AtomicBoolean();
        CompletableFuture<Exception> lastAnswer = new CompletableFuture<>();
        Around silent = (method, arguments, real) -> {
            if (method.equals("close")) {
                Object answer = real.call();
                closed.set(true);
                return answer;
            }
            if (method.equals("sendOffsetsToTransaction") && ending.equals("abortTransaction")) {
                throw new TimeoutException("spoilt by the test");
            }
            if (!method.equals(ending)) {
                return real.call();
            }
            if (!closed.get()) {
                unanswered.incrementAndGet();
                LockSupport.parkNanos(millis(10).toNanos());
                throw new TimeoutException("no answer, says the test");
            }
            try {
                return real.call();
            } catch (Exception refused) {
                lastAnswer.complete(refused);
                throw refused;
            }
        };
        Laneway laneway = start(consumer().closeLimit(millis(200)).producer(() -> silent.producer(producing())));
        await().atMost(LIMIT).until(() -> unanswered.get() >= 3);
        long since = System.nanoTime();
        laneway.close();
        // The limit, and up to 10 s each for the last commit and for leaving.
        assertThat(Duration.ofNanos(System.nanoTime() - since)).isLessThan(Duration.ofSeconds(21));
        assertThat(laneway.state()).isEqualTo(State.CLOSED);
        // The thread of the transaction ends with its producer.
        assertThat(lastAnswer).succeedsWithin(LIMIT).isInstanceOf(IllegalStateException.class);
        try (Laneway _ = start(consumer())) {
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
        }
        outputsAreThereOnce(RECORDS);
    }

    @Test
    @DisplayName("B61 an output that the broker refuses goes where the failure policy says; the others are written")
    void refusedOutput() {
        String letters = stage.topic + ".dlq";
        stage.kafka.createTopic(letters, 1);
        stage.load(50, i -> "key-" + i % 5);
        try (Laneway laneway = consumer()
                .onFailure(FailurePolicy.deadLetter(letters))
                .transform(
                        new StringSerializer(),
                        new StringSerializer(),
                        record -> List.of(new ProducerRecord<>(
                                out,
                                record.key(),
                                record.value().equals("17") ? "x".repeat(3 << 20) : record.value())))) {
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
            assertThat(laneway.snapshot().counters().deadLettered()).isEqualTo(1);
        }
        assertThat(committed()).hasSize(49);
        assertThat(stage.read(letters, 1))
                .singleElement()
                .satisfies(letter -> assertThat(text(letter.value())).isEqualTo("17"));
    }

    @Test
    @DisplayName("B61 fenced by another process of the same name: it stops and says why")
    void fenced() {
        stage.load(100, i -> "key-" + i % KEYS);
        Laneway first = start(consumer());
        await().atMost(LIMIT).until(stage::isCommittedToEnd);
        try (Laneway second = start(consumer())) {
            await().atMost(LIMIT).until(() -> !second.assignment().isEmpty());
            stage.load(100, 200, i -> "key-" + i % KEYS);
            assertThatThrownBy(() -> first.awaitTermination(LIMIT))
                    .isInstanceOf(BrokerException.class)
                    .hasMessageContaining("fenced")
                    .hasMessageContaining("transactionalId");
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
            assertThat(second.state()).isEqualTo(State.RUNNING);
        }
        outputsAreThereOnce(300);
    }

    @Test
    @DisplayName("B62 while a transaction is committed slowly, handlers go on starting")
    void workersDoNotWait() throws InterruptedException {
        stage.load(RECORDS, i -> "key-" + i);
        CountDownLatch committing = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        AtomicInteger started = new AtomicInteger();
        Around slow = (method, arguments, real) -> {
            if (method.equals("commitTransaction")) {
                committing.countDown();
                go.await();
            }
            return real.call();
        };
        try (Laneway laneway = consumer()
                .producer(() -> slow.producer(producing()))
                .concurrency(10)
                .transform(new StringSerializer(), new StringSerializer(), record -> {
                    started.incrementAndGet();
                    Stage.work(millis(2));
                    return computing().handle(record);
                })) {
            committing.await();
            assertThat(started.get()).isLessThan(RECORDS);
            await().atMost(LIMIT).until(() -> started.get() == RECORDS);
            assertThat(stage.committed(0)).isEqualTo(-1);
            assertThat(laneway.state()).isEqualTo(State.RUNNING);
            go.countDown();
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
        }
        outputsAreThereOnce(RECORDS);
    }

    @ParameterizedTest
    @ValueSource(strings = {"classic", "consumer"})
    @DisplayName("B63 members come and go with transactions open: nothing is written twice, nobody is thrown out")
    void revokedWithTransactionOpen(String protocol) throws InterruptedException {
        int records = 6_000;
        stage.load(records, i -> "key-" + i % KEYS);
        Map<String, Object> config = Map.of("group.protocol", protocol);
        Laneway first = start(withId(config, "first"));
        await().atMost(LIMIT).until(() -> !first.assignment().isEmpty());
        for (int round = 0; round < 3; round++) {
            try (Laneway second = start(withId(config, "second"))) {
                await().atMost(LIMIT).until(() -> !second.assignment().isEmpty());
                Stage.work(millis(100));
            }
        }
        await().atMost(LIMIT).until(stage::isCommittedToEnd);
        assertThat(first.state()).isEqualTo(State.RUNNING);
        assertThat(first.drain(LIMIT)).isTrue();
        outputsAreThereOnce(records);
    }

    private LanewayBuilder<String, String> withId(Map<String, Object> config, String id) {
        return stage.consumer(config)
                .concurrency(8)
                .commit(CommitMode.exactlyOnce(stage.topic + id)
                        .withInterval(millis(20))
                        .withProducers(2));
    }

    @Test
    @DisplayName("B64 records that emit nothing advance the offsets; an idle consumer makes no transaction")
    void filtered() throws InterruptedException {
        stage.load(100, i -> "key-" + i % KEYS);
        AtomicInteger begun = new AtomicInteger();
        Around counting = (method, arguments, real) -> {
            if (method.equals("beginTransaction")) {
                begun.incrementAndGet();
            }
            return real.call();
        };
        try (Laneway laneway = consumer()
                .producer(() -> counting.producer(producing()))
                .transform(new StringSerializer(), new StringSerializer(), record -> List.of())) {
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
            int before = begun.get();
            Stage.work(millis(500));
            assertThat(begun.get()).isEqualTo(before);
            assertThat(laneway.snapshot().counters().emitted()).isZero();
        }
        assertThat(committed()).isEmpty();
    }
}
