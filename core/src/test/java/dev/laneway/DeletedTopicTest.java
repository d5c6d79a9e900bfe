package dev.laneway;

import static dev.laneway.Stage.LIMIT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Execution(ExecutionMode.CONCURRENT) // It mostly waits.
@Timeout(180)
@DisplayName("A topic that is deleted while it is read")
class DeletedTopicTest {
    /** More than Kafka's own client is silent; one that repeats its commit takes a minute. */
    private static final Duration SHORT = Duration.ofSeconds(1);

    @ParameterizedTest
    @CsvSource({"EAGER, async", "COOPERATIVE, sync", "CONSUMER, async"})
    @DisplayName("B109 a deleted topic whose progress is not committed silences no other, and stops nothing")
    void othersGoOn(Protocol protocol, String mode) throws Exception {
        Stage stage = Stage.of(2);
        String deleted = stage.topic + ".deleted";
        stage.kafka.createTopic(deleted, 3);
        Map<String, Object> config = new HashMap<>(protocol.config(Map.of()));
        config.put("metadata.max.age.ms", 500);
        AtomicInteger handled = new AtomicInteger();
        Silence silence = new Silence();
        Duration interval = mode.equals("sync") ? Duration.ofSeconds(3) : Duration.ofHours(1);
        try (Laneway laneway = stage.consumer(config)
                        .subscribe(stage.topic, deleted)
                        .concurrency(1)
                        .commit(mode.equals("sync") ? CommitMode.sync(interval) : CommitMode.async(interval))
                        .process(record -> {
                            handled.incrementAndGet();
                            if (!record.topic().equals(deleted)) {
                                silence.ended();
                            }
                        });
                Bare bare = new Bare(stage.withGroupOfItsOwn().config(config), stage.topic, deleted)) {
            for (int i = 0; i < 20; i++) {
                stage.kafka.produce(deleted, "key-" + i, "value");
                stage.kafka.produce(stage.topic, "key-" + i, "value");
            }
            AtomicInteger produced = new AtomicInteger(40);
            await().atMost(LIMIT).until(() -> handled.get() >= produced.get() && bare.read.get() >= 20);
            silence.begin();
            bare.silence.begin();
            stage.kafka.admin().deleteTopics(List.of(deleted)).all().get();
            await().pollInterval(Duration.ofMillis(20))
                    .atMost(Duration.ofMinutes(2))
                    .until(() -> {
                        stage.kafka.produce(stage.topic, "key", "value");
                        produced.incrementAndGet();
                        return laneway.assignment().size() == 2 && bare.assigned == 2;
                    });
            await().atMost(LIMIT)
                    .until(() -> handled.get() >= produced.get() && bare.read.get() >= produced.get() - 20);
            assertThat(silence.longest())
                    .as("silence of the other topic, which to Kafka's own client was %s", bare.silence.longest())
                    .isLessThan(bare.silence.longest().plus(SHORT));
            assertThat(laneway.state()).isEqualTo(State.RUNNING);
        }
        assertThat(stage.isCommittedToEnd()).isTrue();
    }

    @Test
    @DisplayName(
            "B109 exactly-once: the progress of a deleted topic holds no transaction up, and does not count for the"
                    + " topic of its name that is made anew")
    void holdsNoTransaction() throws Exception {
        Stage stage = Stage.of(2);
        String deleted = stage.topic + ".deleted";
        stage.kafka.createTopic(deleted, 1);
        CountDownLatch gone = new CountDownLatch(1);
        Set<String> handled = ConcurrentHashMap.newKeySet();
        AtomicInteger running = new AtomicInteger();
        // Only the check of the topics ends the producer's wait.
        Map<String, Object> patient = Map.of("max.block.ms", 120_000, "transaction.timeout.ms", 120_000);
        try (Laneway laneway = stage.consumer(Map.of("allow.auto.create.topics", "false"))
                .subscribe(stage.topic, deleted)
                .brokerLimit(Duration.ofMinutes(5))
                .producer(patient)
                .commit(CommitMode.exactlyOnce(stage.topic).withInterval(Duration.ofMillis(20)))
                .healthLimit(Duration.ofSeconds(2))
                .process(record -> {
                    if (record.value().startsWith("late")) {
                        running.incrementAndGet();
                        gone.await();
                    }
                    handled.add(record.value());
                })) {
            for (int i = 0; i < 20; i++) {
                stage.kafka.produce(deleted, "key-" + i, "old " + i);
                stage.kafka.produce(stage.topic, "key-" + i, "other " + i);
            }
            await().atMost(LIMIT).until(() -> handled.size() == 40 && stage.isCommittedToEnd());
            stage.kafka.produce(deleted, "key", "late");
            stage.kafka.produce(stage.topic, "key", "late, too");
            await().atMost(LIMIT).until(() -> running.get() == 2);
            stage.kafka.admin().deleteTopics(List.of(deleted)).all().get();
            gone.countDown();
            await("the other topic is committed while this one is away")
                    .atMost(LIMIT)
                    .until(stage::isCommittedToEnd);
            stage.kafka.createTopic(deleted, 1);
            for (int i = 0; i < 10; i++) {
                stage.kafka.produce(deleted, "key-" + i, "new " + i);
            }
            await("all of the new topic").atMost(LIMIT).until(() -> handled.size() == 52);
            await().atMost(LIMIT).until(() -> stage.kafka.isCommittedToEnd(stage.group, deleted));
            assertThat(laneway.state()).isEqualTo(State.RUNNING);
        }
    }

    @Test
    @DisplayName(
            "B109 where the log is not the one that the group has read, since it was made anew, it is read from its"
                    + " beginning")
    void readsTheNewLog() {
        Stage stage = Stage.of(1);
        stage.load(20, i -> "key-" + i);
        OffsetAndMetadata former = new OffsetAndMetadata(50, Optional.of(0), "");
        try (Consumer<byte[], byte[]> consumer = stage.kafka.consumer(stage.group)) {
            consumer.commitSync(Map.of(stage.partition(0), former));
        }
        Set<String> handled = ConcurrentHashMap.newKeySet();
        try (Laneway laneway = stage.consumer().process(record -> handled.add(record.value()))) {
            await().atMost(LIMIT).until(() -> !laneway.assignment().isEmpty());
            await().atMost(LIMIT).until(() -> {
                stage.load(20, 1, i -> "key"); // The client notices nothing before there is a record.
                return handled.size() == 21;
            });
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
        }
    }

    @ParameterizedTest
    @CsvSource({"subscribed", "assigned"})
    @DisplayName(
            "B109 a topic that is created again under a member is read from its beginning, where it is longer than what"
                    + " was read and its leader epochs tell nothing")
    void isReadAnew(String how) throws Exception {
        Stage stage = Stage.of(1);
        stage.load(20, i -> "key-" + i);
        Set<String> handled = ConcurrentHashMap.newKeySet();
        LanewayBuilder<String, String> builder = how.equals("subscribed")
                ? stage.consumer()
                : Laneway.consumer(stage.config(Map.of()))
                        .deserializers(new StringDeserializer(), new StringDeserializer())
                        .closeOnShutdown(false)
                        .assign(List.of(stage.partition(0)));
        try (Laneway laneway = builder.healthLimit(Duration.ofSeconds(2)).process(record -> {
            handled.add(record.value());
        })) {
            await().atMost(LIMIT).until(() -> handled.size() == 20 && stage.isCommittedToEnd());
            laneway.pause(); // Else the client asks the new log while it is short, and notices by itself.
            Stage.work(Duration.ofSeconds(2)); // Several looks at which topic it is.
            stage.kafka.admin().deleteTopics(List.of(stage.topic)).all().get();
            await().atMost(LIMIT).ignoreExceptions().until(() -> {
                stage.kafka.createTopic(stage.topic, 1);
                return true;
            });
            stage.load(100, 40, i -> "key-" + i);
            laneway.resume();
            await().atMost(LIMIT).until(() -> handled.size() == 60);
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
            assertThat(laneway.state()).isEqualTo(State.RUNNING);
        }
        assertThat(stage.committed(0)).isEqualTo(40);
    }

    /** The longest time between two records. */
    private static final class Silence {
        private final AtomicLong lastNanos = new AtomicLong(System.nanoTime());
        private final AtomicLong longestNanos = new AtomicLong();

        void begin() {
            lastNanos.set(System.nanoTime());
            longestNanos.set(0);
        }

        void ended() {
            long now = System.nanoTime();
            long gap = now - lastNanos.getAndSet(now);
            longestNanos.accumulateAndGet(gap, Math::max);
        }

        Duration longest() {
            return Duration.ofNanos(longestNanos.get());
        }
    }

    /**
     * Kafka's own client with the same fault, for comparison: its rebalance takes a while, longer on a busy machine.
     */
    private static final class Bare implements AutoCloseable {
        final Silence silence = new Silence();
        final AtomicInteger read = new AtomicInteger();
        volatile int assigned;
        private volatile boolean over;
        private final Thread thread;

        Bare(Map<String, Object> config, String topic, String deleted) {
            config.put("enable.auto.commit", false); // Those commits stand still for a minute.
            thread = Thread.ofPlatform().name("bare-consumer").start(() -> {
                var deserializer = new ByteArrayDeserializer();
                try (var consumer = new KafkaConsumer<>(config, deserializer, deserializer)) {
                    consumer.subscribe(List.of(topic, deleted));
                    while (!over) {
                        for (var _ : consumer.poll(Duration.ofMillis(100)).records(topic)) {
                            silence.ended();
                            read.incrementAndGet();
                        }
                        assigned = consumer.assignment().size();
                    }
                }
            });
        }

        @Override
        public void close() {
            over = true;
            try {
                thread.join();
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
