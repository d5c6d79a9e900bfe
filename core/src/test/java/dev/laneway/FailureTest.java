package dev.laneway;

import static dev.laneway.Stage.LIMIT;
import static dev.laneway.Stage.bytes;
import static dev.laneway.Stage.millis;
import static dev.laneway.Stage.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.serialization.LongDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@Execution(ExecutionMode.CONCURRENT) // It mostly waits.
@Timeout(120)
@DisplayName("Failures on a real broker")
class FailureTest {

    @Test
    @DisplayName("B42 the delay grows as the back-off says; a record that waits holds its lane and no worker")
    void backoff() {
        Stage stage = Stage.of(1);
        stage.load(1, i -> "failing");
        stage.load(1, 300, i -> i % 100 == 0 ? "failing" : "key-" + i % 20);
        Queue<Long> attempts = new ConcurrentLinkedQueue<>();
        Journal journal = new Journal();
        Lateness lateness = new Lateness();

        // One worker: if a waiting record held it, nothing else would run.
        try (lateness;
                Laneway _ = stage.consumer()
                        .concurrency(1)
                        .onFailure(FailurePolicy.retry(
                                Backoff.exponential(millis(100), millis(400)).withJitter(0)))
                        .process(journal.watch(Journal.byKey(), record -> {
                            if (record.offset() == 0) {
                                attempts.add(System.nanoTime());
                                // It fails until all the others have run.
                                if (attempts.size() < 5 || journal.size() < 297) {
                                    assertThat(journal.keys()).doesNotContain("failing");
                                    throw new IllegalStateException("not yet");
                                }
                            }
                        }))) {
            await().atMost(LIMIT).until(() -> journal.size() == 301);
        }

        assertThat(journal.violations()).isEmpty();
        List<Long> at = List.copyOf(attempts);
        long[] delays = {100, 200, 400, 400};
        for (int i = 0; i < delays.length; i++) {
            assertThat(Duration.ofNanos(at.get(i + 1) - at.get(i)))
                    .isBetween(millis(delays[i]), millis(delays[i] + 300).plus(lateness.worst()));
        }
    }

    @Test
    @DisplayName("B42 with jitter records that failed together are not tried together")
    void jitter() {
        Stage stage = Stage.of(1);
        stage.load(40, i -> "key-" + i);
        Map<Long, Long> first = new ConcurrentHashMap<>();
        Map<Long, Long> second = new ConcurrentHashMap<>();
        try (Laneway _ = stage.consumer()
                .onFailure(FailurePolicy.retry(Backoff.fixed(millis(300)).withJitter(0.5), 2))
                .process((ConsumerRecord<String, String> record, RecordContext context) -> {
                    if (context.attempt() == 1) {
                        first.put(record.offset(), System.nanoTime());
                        throw new IllegalStateException("once");
                    }
                    second.put(record.offset(), System.nanoTime());
                    return Outcome.done();
                })) {
            await().atMost(LIMIT).until(() -> second.size() == 40);
        }
        List<Duration> delays = first.keySet().stream()
                .map(offset -> Duration.ofNanos(second.get(offset) - first.get(offset)))
                .sorted()
                .toList();
        assertThat(delays.getFirst()).isBetween(millis(150), millis(240));
        assertThat(delays.getLast()).isGreaterThan(millis(360));
    }

    @Test
    @DisplayName("B43 at most so many attempts, then what the policy says, exception by exception")
    void policies() {
        Stage stage = Stage.of(1);
        String letters = stage.topic + ".dlq";
        stage.kafka.createTopic(letters, 1);
        stage.load(30, i -> "key-" + i);
        Map<Integer, AtomicInteger> attempts = new ConcurrentHashMap<>();
        FailurePolicy policy = FailurePolicy.retry(Backoff.fixed(millis(1)), 3)
                .thenDeadLetter(letters)
                .on(ArithmeticException.class, FailurePolicy.skip())
                .on(
                        SerializationException.class,
                        FailurePolicy.retry(Backoff.fixed(millis(1)), 2).thenSkip());

        try (Laneway laneway = stage.consumer().onFailure(policy).process(record -> {
            int number = Integer.parseInt(record.value());
            attempts.computeIfAbsent(number, _ -> new AtomicInteger()).incrementAndGet();
            switch (number) {
                case 3 -> throw new ArithmeticException("skipped at once");
                case 5 -> throw new IllegalStateException(new SerializationException("skipped after two"));
                case 7 -> throw new IllegalArgumentException("dead-lettered after three");
                default -> {}
            }
        })) {
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
            Counters counters = laneway.snapshot().counters();
            assertThat(counters.skipped()).isEqualTo(2);
            assertThat(counters.deadLettered()).isEqualTo(1);
            assertThat(counters.failedAttempts()).isEqualTo(6);
            assertThat(counters.retries()).isEqualTo(3);
        }
        assertThat(attempts.get(3)).hasValue(1);
        assertThat(attempts.get(5)).hasValue(2);
        assertThat(attempts.get(7)).hasValue(3);
        assertThat(text(stage.read(letters, 1).getFirst().value())).isEqualTo("7");
    }

    @Test
    @DisplayName("B43 B57 a policy that says stop: the handle tells which record and why, and it is run again later")
    void stop() {
        Stage stage = Stage.of(1);
        stage.load(100, i -> "key-" + i);
        Journal first = new Journal();
        Laneway laneway = stage.consumer()
                .onFailure(FailurePolicy.retry(Backoff.fixed(millis(1)), 2))
                .process(first.note(record -> {
                    if (record.value().equals("40")) {
                        throw new IllegalStateException("no such customer");
                    }
                }));
        assertThatThrownBy(() -> laneway.awaitTermination(LIMIT))
                .isInstanceOf(RecordFailedException.class)
                .hasMessageContaining(stage.topic + "-0@40")
                .hasRootCauseMessage("no such customer");
        assertThat(laneway.state()).isEqualTo(State.FAILED);
        assertThat(laneway.failure()).isPresent();
        assertThat(laneway.health().status()).isEqualTo(Health.Status.DOWN);
        assertThat(laneway.health().reasons().getFirst()).contains("@40");
        assertThat(stage.committed(0)).isEqualTo(40);

        Journal second = new Journal();
        try (Laneway _ = stage.consumer().process(second.note(record -> {}))) {
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
        }
        assertThat(second.offsets(0)).contains(40L).doesNotContainAnyElementsOf(first.offsets(0));
    }

    @Test
    @DisplayName("B45 a record that cannot be read stops the consumer by default, and does not loop")
    void unreadable() {
        Stage stage = Stage.of(1);
        stage.kafka.produce(List.of(new ProducerRecord<>(stage.topic, bytes("k"), new byte[3])));
        Laneway laneway = Laneway.consumer(stage.config(Map.of()))
                .deserializers(new StringDeserializer(), new LongDeserializer())
                .subscribe(stage.topic)
                .process(record -> {});
        assertThatThrownBy(() -> laneway.awaitTermination(LIMIT))
                .isInstanceOf(RecordFailedException.class)
                .hasCauseInstanceOf(RecordDeserializationException.class);
        assertThat(laneway.snapshot().counters().failedAttempts()).isEqualTo(1);
    }

    /** Unusual things that a handler may throw. */
    enum Thrown {
        ERROR,
        STACK_OVERFLOW,
        INTERRUPTED;

        void happen() throws InterruptedException {
            switch (this) {
                case ERROR -> throw new NoClassDefFoundError("com/example/Missing");
                case STACK_OVERFLOW -> deeper(0);
                case INTERRUPTED -> throw new InterruptedException("from the handler itself");
            }
        }

        @SuppressWarnings("InfiniteRecursion")
        private static long deeper(long depth) {
            return 1 + deeper(depth + 1);
        }
    }

    @ParameterizedTest(name = "{displayName}: {0}")
    @EnumSource(Thrown.class)
    @DisplayName("B47 whatever a handler throws is a failed attempt; the others go on")
    void thrown(Thrown thrown) {
        Stage stage = Stage.of(1);
        stage.load(50, i -> "key-" + i);
        AtomicInteger done = new AtomicInteger();
        try (Laneway laneway = stage.consumer()
                .onFailure(FailurePolicy.retry(Backoff.fixed(millis(1)), 2).thenSkip())
                .process(record -> {
                    if (record.value().equals("20")) {
                        thrown.happen();
                    }
                    done.incrementAndGet();
                })) {
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
            assertThat(laneway.snapshot().counters().failedAttempts()).isEqualTo(2);
            assertThat(laneway.snapshot().counters().skipped()).isEqualTo(1);
        }
        assertThat(done.get()).isEqualTo(49);
    }

    @Test
    @DisplayName("B47 an attempt that hangs is interrupted at its limit and counts as failed")
    void attemptLimit() {
        Stage stage = Stage.of(1);
        stage.load(50, i -> "key-" + i);
        CountDownLatch never = new CountDownLatch(1);
        Queue<Throwable> seen = new ConcurrentLinkedQueue<>();
        Queue<Duration> left = new ConcurrentLinkedQueue<>();
        AtomicInteger done = new AtomicInteger();
        try (Laneway laneway = stage.consumer()
                .attemptLimit(millis(200))
                .onFailure(FailurePolicy.stop()
                        .on(
                                AttemptTimeoutException.class,
                                FailurePolicy.retry(Backoff.fixed(millis(1)), 3).thenSkip()))
                .process((ConsumerRecord<String, String> record, RecordContext context) -> {
                    if (record.value().equals("20")) {
                        left.add(context.remaining().orElseThrow());
                        try {
                            never.await();
                        } catch (InterruptedException interrupted) {
                            seen.add(interrupted);
                            throw interrupted;
                        }
                    }
                    done.incrementAndGet();
                    return Outcome.done();
                })) {
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
            assertThat(laneway.snapshot().counters().failedAttempts()).isEqualTo(3);
            assertThat(laneway.state()).isEqualTo(State.RUNNING);
        }
        assertThat(seen).hasSize(3);
        assertThat(left).allMatch(duration -> duration.compareTo(millis(200)) <= 0);
        assertThat(done.get()).isEqualTo(49);
    }

    /** How an asynchronous handler may misbehave. */
    enum Stages {
        NULL_STAGE,
        NULL_OUTCOME,
        FAILED,
        FAILED_LATER,
        CANCELLED,
        THROWS
    }

    @ParameterizedTest(name = "{displayName}: {0}")
    @EnumSource(Stages.class)
    @DisplayName("B49 a stage that is null, fails, is cancelled or tells null is a failed attempt")
    void badStages(Stages kind) {
        Stage stage = Stage.of(1);
        stage.load(20, i -> "key-" + i % 3);
        List<Integer> done = java.util.Collections.synchronizedList(new ArrayList<>());
        try (Laneway laneway = stage.consumer()
                .onFailure(FailurePolicy.retry(Backoff.fixed(millis(1)), 2).thenSkip())
                .processAsync((record, context) -> {
                    CompletableFuture<Outcome> answer = new CompletableFuture<>();
                    if (!record.value().equals("10")) {
                        done.add(Integer.parseInt(record.value()));
                        return answer.completeAsync(Outcome::done);
                    }
                    switch (kind) {
                        case NULL_STAGE -> {
                            return null;
                        }
                        case NULL_OUTCOME -> answer.complete(null);
                        case FAILED -> answer.completeExceptionally(new IllegalStateException("no"));
                        case FAILED_LATER ->
                            answer.completeAsync(() -> {
                                throw new IllegalStateException("no");
                            });
                        case CANCELLED -> answer.cancel(false);
                        case THROWS -> throw new IllegalStateException("no");
                    }
                    return answer;
                })) {
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
            assertThat(laneway.snapshot().counters().failedAttempts()).isEqualTo(2);
            assertThat(laneway.snapshot().counters().skipped()).isEqualTo(1);
        }
        assertThat(done).hasSize(19).doesNotHaveDuplicates();
    }

    @Test
    @DisplayName("B49 a stage that never completes ends at the attempt limit; one completed twice counts once")
    void neverAndTwice() {
        Stage stage = Stage.of(1);
        stage.load(20, i -> "key-" + i);
        Queue<CompletableFuture<Outcome>> never = new ConcurrentLinkedQueue<>();
        try (Laneway laneway = stage.consumer()
                .attemptLimit(millis(150))
                .concurrency(4)
                .onFailure(FailurePolicy.retry(Backoff.fixed(millis(1)), 2).thenSkip())
                .processAsync((record, context) -> {
                    CompletableFuture<Outcome> answer = new CompletableFuture<>();
                    if (record.value().equals("5")) {
                        never.add(answer);
                        return answer;
                    }
                    answer.completeAsync(() -> {
                        boolean _ = answer.complete(Outcome.done());
                        return Outcome.stop("the second answer must not count");
                    });
                    return answer;
                })) {
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
            assertThat(never).hasSize(2).allMatch(CompletableFuture::isCancelled);
            assertThat(laneway.snapshot().counters().processed()).isEqualTo(20);
            assertThat(laneway.state()).isEqualTo(State.RUNNING);
        }
    }

    @ParameterizedTest(name = "{displayName}: {0}")
    @ValueSource(ints = {1, 100})
    @DisplayName("B18 B49 asynchronous handlers keep the order of keys within the concurrency")
    void asynchronousOrder(int concurrency) {
        Stage stage = Stage.of(2);
        stage.load(600, i -> "key-" + i % 11);
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        Map<String, Long> last = new ConcurrentHashMap<>();
        Queue<String> violations = new ConcurrentLinkedQueue<>();
        AtomicInteger done = new AtomicInteger();
        try (Laneway _ = stage.consumer().concurrency(concurrency).processAsync((record, context) -> {
            most.accumulateAndGet(running.incrementAndGet(), Math::max);
            Long before = last.put(record.key(), record.offset());
            if (before != null && before >= record.offset()) {
                violations.add(record.key() + ": " + record.offset() + " after " + before);
            }
            return CompletableFuture.supplyAsync(
                    () -> {
                        running.decrementAndGet();
                        done.incrementAndGet();
                        return Outcome.done();
                    },
                    CompletableFuture.delayedExecutor(1, java.util.concurrent.TimeUnit.MILLISECONDS));
        })) {
            await().atMost(LIMIT).until(() -> done.get() == 600);
        }
        assertThat(violations).isEmpty();
        assertThat(most.get()).isBetween(1, Math.min(concurrency, 11));
    }
}
