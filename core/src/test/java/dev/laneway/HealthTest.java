package dev.laneway;

import static dev.laneway.Stage.LIMIT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Execution(ExecutionMode.CONCURRENT) // It mostly waits.
@Timeout(120)
@DisplayName("Snapshot and health")
class HealthTest {

    /** A listener that hangs in the first assignment until it is released. */
    private static final class Hanging implements RebalanceListener {
        final CountDownLatch reached = new CountDownLatch(1);
        final CountDownLatch released = new CountDownLatch(1);

        @Override
        public void onAssigned(RestrictedConsumer consumer, Collection<TopicPartition> partitions) {
            partitions.forEach(consumer::position); // Else one whose start is not known yet would come after this.
            reached.countDown();
            try {
                released.await();
            } catch (InterruptedException end) {
                throw new IllegalStateException(end);
            }
        }
    }

    @Test
    @DisplayName("B116 snapshot and health answer while a rebalance listener hangs, and say how old that is")
    void whileTheOwnerHangs() throws Exception {
        Stage stage = Stage.of(1);
        Hanging listener = new Hanging();
        try (Laneway laneway = stage.consumer().onRebalance(listener).process(_ -> {})) {
            try {
                assertThat(listener.reached.await(LIMIT.toSeconds(), TimeUnit.SECONDS))
                        .isTrue();
                Snapshot snapshot =
                        CompletableFuture.supplyAsync(laneway::snapshot).get(LIMIT.toSeconds(), TimeUnit.SECONDS);
                assertThat(snapshot.partitions()).hasSize(1);
                Health health = CompletableFuture.supplyAsync(laneway::health).get(LIMIT.toSeconds(), TimeUnit.SECONDS);
                assertThat(health.age()).isPositive();
                await().atMost(LIMIT)
                        .until(() -> laneway.snapshot().age().compareTo(Duration.ofSeconds(3)) > 0
                                && laneway.health().age().compareTo(Duration.ofSeconds(3)) > 0);
            } finally {
                listener.released.countDown();
            }
            await().atMost(LIMIT).until(() -> laneway.snapshot().age().compareTo(Duration.ofSeconds(2)) < 0);
        }
    }

    @ParameterizedTest(name = "{displayName}: {0}")
    @ValueSource(strings = {"classic", "consumer"})
    @DisplayName("B116 the lag follows the log's end and what is done, for as long as snapshots are taken")
    void lag(String protocol) {
        Stage stage = Stage.of(70); // More than are asked in one turn.
        stage.load(1_000, i -> "key-" + i);
        AtomicReference<CountDownLatch> gate = new AtomicReference<>(new CountDownLatch(1));
        try (Laneway laneway = stage.consumer(Map.of("group.protocol", protocol))
                .process(_ -> gate.get().await())) {
            await().atMost(LIMIT).until(() -> lag(laneway) == 1_000);
            gate.get().countDown();
            await().atMost(LIMIT).until(() -> lag(laneway) == 0);
            gate.set(new CountDownLatch(1));
            stage.load(1_000, i -> "key-" + i);
            await().atMost(LIMIT).until(() -> lag(laneway) == 1_000);
            gate.get().countDown();
        }
    }

    @Test
    @DisplayName("B128 however often snapshots are taken, the client is asked where logs end about once a second")
    void questions() {
        Stage stage = Stage.of(70);
        AtomicInteger questions = new AtomicInteger();
        Map<String, Object> config = stage.config(Map.of("enable.auto.commit", false));
        Supplier<KafkaConsumer<byte[], byte[]>> counting =
                () -> new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer()) {
                    @Override
                    public OptionalLong currentLag(TopicPartition partition) {
                        questions.incrementAndGet();
                        return super.currentLag(partition);
                    }
                };
        try (Laneway laneway = stage.strings(Laneway.consumer(config, counting)).process(_ -> {})) {
            await().atMost(LIMIT).until(() -> laneway.assignment().size() == 70);
            int before = questions.get();
            long since = System.nanoTime();
            await().pollInterval(Duration.ofMillis(5)).atMost(LIMIT).until(() -> {
                stage.load(1, i -> "key"); // So that the owner takes turns.
                laneway.snapshot();
                return System.nanoTime() - since > 3_000_000_000L;
            });
            long seconds = 2 + (System.nanoTime() - since) / 1_000_000_000;
            assertThat(questions.get() - before).isBetween(70, (int) (70 * seconds));
        }
    }

    @Test
    @DisplayName("B112 close returns within about its limit while a listener hangs, which is interrupted")
    void closeWhileAListenerHangs() throws Exception {
        Stage stage = Stage.of(1);
        Hanging listener = new Hanging();
        Laneway laneway = stage.consumer().onRebalance(listener).process(_ -> {});
        assertThat(listener.reached.await(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        CompletableFuture<Void> closed = CompletableFuture.runAsync(() -> laneway.close(Duration.ofSeconds(2)));
        closed.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        assertThat(laneway.state()).isEqualTo(State.CLOSED);
        assertThat(laneway.failure()).isEmpty();
    }

    @Test
    @DisplayName("B112 close returns when a listener hears no interrupt, and health says at once why it does not end")
    void closeWhileADeafListenerHangs() throws Exception {
        Stage stage = Stage.of(1);
        CountDownLatch reached = new CountDownLatch(1);
        CountDownLatch released = new CountDownLatch(1);
        Laneway laneway = stage.consumer()
                .onRebalance(new RebalanceListener() {
                    @Override
                    public void onAssigned(RestrictedConsumer consumer, Collection<TopicPartition> partitions) {
                        reached.countDown();
                        awaitWhatever(released);
                    }
                })
                .process(_ -> {});
        try {
            assertThat(reached.await(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
            CompletableFuture<Void> closed = CompletableFuture.runAsync(() -> laneway.close(Duration.ofSeconds(2)));
            await().atMost(Duration.ofSeconds(2)).until(() -> laneway.health().status() == Health.Status.DOWN);
            assertThat(laneway.health().reasons().getFirst())
                    .contains("does not close", "onAssigned", stage.topic + "-0", "awaitWhatever");
            closed.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
            assertThat(laneway.state()).isNotEqualTo(State.CLOSED);
            assertThat(laneway.drain(Duration.ZERO)).isFalse();
        } finally {
            released.countDown();
        }
        assertThat(laneway.awaitTermination(LIMIT)).isTrue();
        assertThat(laneway.health().reasons()).containsExactly("a member is closed");
    }

    private static void awaitWhatever(CountDownLatch released) {
        boolean over = false;
        while (!over) {
            try {
                released.await();
                over = true;
            } catch (InterruptedException deaf) {
                // Listeners of that kind exist.
            }
        }
    }

    @Test
    @DisplayName("B114 with startCheck FAIL a missing topic, dead-letter topic or broker fails the start by its name")
    void startFails() {
        Stage stage = Stage.of(1);
        assertThatThrownBy(() -> stage.consumer()
                        .subscribe("no-such-topic")
                        .onFailure(FailurePolicy.deadLetter("no-such-letters"))
                        .startCheck(StartCheck.FAIL)
                        .process(_ -> {}))
                .isInstanceOf(BrokerException.class)
                .hasMessageContainingAll("topic no-such-topic", "dead-letter topic no-such-letters", "startCheck");
        assertThatThrownBy(() -> stage.consumer(Map.of("bootstrap.servers", "127.0.0.1:1"))
                        .startCheck(StartCheck.FAIL)
                        .healthLimit(Duration.ofSeconds(1))
                        .process(_ -> {}))
                .isInstanceOf(BrokerException.class)
                .hasMessageContainingAll("no broker answered", "1.0 s", "bootstrap.servers");
        try (Laneway laneway = stage.consumer().startCheck(StartCheck.FAIL).process(_ -> {})) {
            await().atMost(LIMIT).until(() -> !laneway.assignment().isEmpty());
        }
    }

    @Test
    @DisplayName("B114 a topic that comes later is read, and is no reason any more")
    void topicComesLater() {
        Stage stage = Stage.of(1);
        String late = stage.topic + "-late";
        CountDownLatch done = new CountDownLatch(1);
        try (Laneway laneway = stage.consumer(Map.of("metadata.max.age.ms", 500))
                .subscribe(late)
                .healthLimit(Duration.ofSeconds(1))
                .process(_ -> done.countDown())) {
            await().atMost(LIMIT).until(() -> laneway.health().status() == Health.Status.DOWN);
            assertThat(laneway.health().live()).isTrue();
            assertThat(laneway.health().ready()).isFalse();
            stage.kafka.createTopic(late, 1);
            stage.kafka.produce(List.of(new ProducerRecord<>(late, Stage.bytes("key"), Stage.bytes("1"))));
            await().atMost(LIMIT).until(() -> done.getCount() == 0);
            await().atMost(LIMIT).until(() -> laneway.health().status() == Health.Status.UP);
        }
    }

    @Test
    @DisplayName("B117 each worker's thread has a name of its own")
    void threadNames() {
        Stage stage = Stage.of(1);
        stage.load(20, i -> "key-" + i);
        Set<String> names = ConcurrentHashMap.newKeySet();
        CountDownLatch all = new CountDownLatch(20);
        try (Laneway _ = stage.consumer().process(_ -> {
            names.add(Thread.currentThread().getName());
            all.countDown();
            all.await();
        })) {
            await().atMost(LIMIT).until(() -> all.getCount() == 0);
        }
        assertThat(names).hasSize(20).allMatch(name -> name.startsWith("laneway-worker-"));
    }

    @Test
    @DisplayName("B117 what was in flight at the end is logged with the limit that was waited for")
    void closeLimitInTheLog() {
        Stage stage = Stage.of(1);
        stage.load(1, i -> "key-" + i);
        CountDownLatch started = new CountDownLatch(1);
        try (Logs logs = Logs.of(stage.topic)) {
            Laneway laneway = stage.consumer().name(stage.topic).process(_ -> {
                started.countDown();
                new CountDownLatch(1).await();
            });
            await().atMost(LIMIT).until(() -> started.getCount() == 0);
            laneway.close(Duration.ofMillis(1_500));
            assertThat(logs.messages())
                    .anyMatch(line -> line.contains(stage.partition(0).toString())
                            && line.contains("still in flight after the close limit of 1.5 s"));
        }
    }

    private static long lag(Laneway laneway) {
        Snapshot snapshot = laneway.snapshot();
        return snapshot.partitions().stream().anyMatch(one -> one.lag().isEmpty())
                ? -1
                : snapshot.partitions().stream()
                        .mapToLong(one -> one.lag().getAsLong())
                        .sum();
    }
}
