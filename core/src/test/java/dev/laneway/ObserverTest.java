package dev.laneway;

import static dev.laneway.Stage.LIMIT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.laneway.stream.ConsumerSettings;
import dev.laneway.stream.Control;
import dev.laneway.stream.KafkaSource;
import dev.laneway.stream.Subscription;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Observers of consumers on a real broker. */
class ObserverTest {
    /** Counts attempts, and notes on which threads it hears of what. */
    private static final class Noting implements LanewayObserver {
        final AtomicInteger started = new AtomicInteger();
        final AtomicInteger follows = new AtomicInteger();
        final AtomicInteger ended = new AtomicInteger();
        final AtomicInteger batches = new AtomicInteger();
        final Map<String, Set<String>> threads = new ConcurrentHashMap<>();
        final Set<TopicPartition> partitions = ConcurrentHashMap.newKeySet();
        final ConcurrentLinkedQueue<State> states = new ConcurrentLinkedQueue<>();
        final ConcurrentLinkedQueue<String> ends = new ConcurrentLinkedQueue<>();

        private void heard(String what) {
            threads.computeIfAbsent(what, _ -> ConcurrentHashMap.newKeySet())
                    .add(Thread.currentThread().getName().replaceAll("\\d+", "N"));
        }

        @Override
        public Attempt attemptStarted(ConsumerRecord<byte[], byte[]> record, int attempt, boolean isNext) {
            heard("attempt");
            started.incrementAndGet();
            follows.addAndGet(isNext ? 1 : 0);
            return failure -> ended.incrementAndGet();
        }

        @Override
        public @Nullable Attempt batchStarted(List<ConsumerRecord<byte[], byte[]>> records) {
            batches.addAndGet(records.size());
            return null;
        }

        @Override
        public void deadLettered(TopicPartition partition, long offset, String topic) {
            heard("deadLettered to " + topic);
        }

        @Override
        public void committed(
                Map<TopicPartition, OffsetAndMetadata> offsets, Duration took, @Nullable Exception failure) {
            heard("committed");
            partitions.addAll(offsets.keySet());
        }

        @Override
        public void transactionEnded(Collection<TopicPartition> of, Duration took, @Nullable Exception failure) {
            heard("transactionEnded");
        }

        @Override
        public void stateChanged(String member, State state) {
            heard("stateChanged");
            states.add(state);
        }

        @Override
        public void ended(@Nullable Throwable failure) {
            ends.add(String.valueOf(failure));
        }
    }

    private final Noting noting = new Noting();

    @Test
    @DisplayName("B151 each attempt is told of, with its end; commits and states by the owner, the end once")
    void attempts() {
        Stage stage = Stage.of(2);
        stage.load(5_000, i -> "key-" + i % 100);
        AtomicReference<LanewayObserver.Subject> subject = new AtomicReference<>();
        try (Laneway _ = stage.consumer()
                .name(stage.topic)
                .consumers(2)
                .observer(consumer -> {
                    subject.set(consumer);
                    return noting;
                })
                .process(record -> {})) {
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
            assertThat(subject.get().snapshot().counters().processed()).isEqualTo(5_000);
            assertThat(subject.get().health().status()).isEqualTo(Health.Status.UP);
            assertThat(subject.get().group()).contains(stage.group);
            assertThat(subject.get().name()).isEqualTo(stage.topic);
            assertThat(subject.get().clientMetrics().keySet())
                    .anyMatch(metric -> metric.name().equals("records-consumed-total"));
        }
        assertThat(noting.started).hasValue(5_000);
        assertThat(noting.ended).hasValue(5_000);
        assertThat(noting.follows.get()).isBetween(1_000, 4_999);
        assertThat(noting.partitions).containsExactlyInAnyOrder(stage.partition(0), stage.partition(1));
        assertThat(noting.states).containsOnly(State.RUNNING, State.CLOSING, State.CLOSED);
        assertThat(noting.ends).containsExactly("null");
        assertThat(noting.threads.get("attempt")).containsExactly("topic-N-N-worker-N");
        assertThat(noting.threads.get("committed")).isEqualTo(noting.threads.get("stateChanged"));
        assertThat(noting.threads.get("committed")).noneMatch(thread -> thread.contains("worker"));
    }

    @Test
    @DisplayName("B151 batches, dead letters and transactions are told of")
    void others() {
        Stage stage = Stage.of(1);
        stage.load(100, i -> "key-" + i);
        try (Laneway _ = stage.consumer()
                .observer(_ -> noting)
                .processBatch(10, Duration.ZERO, records -> BatchOutcome.done())) {
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
        }
        assertThat(noting.batches).hasValue(100);

        Stage second = stage.withGroupOfItsOwn();
        String letters = stage.topic + ".dlq";
        stage.kafka.createTopic(letters, 1);
        try (Laneway _ = second.consumer()
                .observer(_ -> noting)
                .onFailure(FailurePolicy.deadLetter(letters))
                .process(record -> {
                    if (record.offset() == 50) {
                        throw new IllegalStateException("no stock");
                    }
                })) {
            await().atMost(LIMIT).until(second::isCommittedToEnd);
        }
        assertThat(noting.threads).containsKey("deadLettered to " + letters);

        Stage third = stage.withGroupOfItsOwn();
        try (Laneway _ = third.consumer()
                .observer(_ -> noting)
                .commit(CommitMode.exactlyOnce(stage.topic))
                .process(record -> {})) {
            await().atMost(LIMIT).until(third::isCommittedToEnd);
        }
        assertThat(noting.threads).containsKey("transactionEnded");
    }

    @Test
    @DisplayName("B152 what throws in each attempt is logged at a bounded rate, and each record is handled once")
    void throwing() {
        Stage stage = Stage.of(1);
        stage.load(20_000, i -> "key-" + i % 100);
        AtomicInteger handled = new AtomicInteger();
        try (Logs logs = Logs.of(stage.topic);
                Laneway laneway = stage.consumer()
                        .name(stage.topic)
                        .observer(_ -> new LanewayObserver() {
                            @Override
                            public Attempt attemptStarted(
                                    ConsumerRecord<byte[], byte[]> record, int attempt, boolean follows) {
                                throw new AssertionError("no meter");
                            }
                        })
                        .process(record -> {
                            handled.incrementAndGet();
                        })) {
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
            assertThat(laneway.health().status()).isEqualTo(Health.Status.UP);
            assertThat(logs.messages())
                    .filteredOn(message -> message.contains("the observer's attemptStarted failed"))
                    .hasSizeBetween(1, 60);
        }
        assertThat(handled).hasValue(20_000);
    }

    @Test
    @DisplayName(
            "B152 B53 an observer that never returns on the owner is named by health, and interrupted by the close")
    void waiting() throws InterruptedException {
        Stage stage = Stage.of(1);
        stage.load(10, i -> "key");
        CountDownLatch called = new CountDownLatch(1);
        CountDownLatch interrupted = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);
        Laneway laneway = stage.consumer()
                .healthLimit(Duration.ofMillis(500))
                .observer(_ -> new LanewayObserver() {
                    @Override
                    public void fetched(TopicPartition partition, long first, long last, int records) {
                        called.countDown();
                        try {
                            over.await();
                        } catch (InterruptedException end) {
                            interrupted.countDown();
                        }
                    }
                })
                .process(record -> {});
        assertThat(called.await(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        await().atMost(LIMIT)
                .until(() -> laneway.health().reasons().stream()
                        .anyMatch(reason -> reason.contains("the observer's fetched has not returned")));
        assertThat(laneway.health().status()).isEqualTo(Health.Status.DOWN);
        CompletableFuture<Void> closed = CompletableFuture.runAsync(() -> laneway.close(Duration.ofMillis(200)));
        try {
            await().atMost(LIMIT).until(closed::isDone);
        } finally {
            over.countDown();
        }
        assertThat(interrupted.getCount()).isZero();
        assertThat(laneway.state()).isEqualTo(State.CLOSED);
    }

    @Test
    @DisplayName("B152 a factory that throws ends the start, and observers that were made hear of the end")
    void refusedStart() {
        Stage stage = Stage.of(1);
        assertThatThrownBy(() -> stage.consumer()
                        .observer(_ -> noting)
                        .observer(_ -> {
                            throw new IllegalStateException("no registry");
                        })
                        .process(record -> {}))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("no registry");
        assertThat(noting.ends).containsExactly("java.lang.IllegalStateException: no registry");
        assertThat(noting.states).isEmpty();
    }

    @Test
    @DisplayName("B151 a stream's consumer is observed as others are, but for attempts, of which it makes none")
    void streams() throws Exception {
        Stage stage = Stage.of(1);
        stage.load(100, i -> "key");
        ConsumerSettings<String, String> settings = ConsumerSettings.of(
                        stage.config(Map.of()), new StringDeserializer(), new StringDeserializer())
                .withCloseOnShutdown(false)
                .withObservers(List.of(_ -> noting));
        CountDownLatch taken = new CountDownLatch(100);
        Control control = KafkaSource.committable(settings, Subscription.topics(stage.topic))
                .map(record -> {
                    record.acknowledge();
                    taken.countDown();
                    return record;
                })
                .run();
        assertThat(taken.await(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        await().atMost(LIMIT).until(stage::isCommittedToEnd);
        control.drainAndShutdown(LIMIT).toCompletableFuture().get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        assertThat(noting.started).hasValue(0);
        assertThat(noting.partitions).containsExactly(stage.partition(0));
        assertThat(noting.ends).containsExactly("null");
    }
}
