package dev.laneway;

import static dev.laneway.Stage.LIMIT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
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
    private static final Duration SHORT = Duration.ofSeconds(1);
    /** A machine that is busy is so before the deletion, too; a client that repeats its commit takes a minute. */
    private static final int SLOWER = 5;

    @ParameterizedTest
    @CsvSource({"EAGER, async", "COOPERATIVE, sync", "CONSUMER, async"})
    @DisplayName("B109 a deleted topic whose progress is not committed silences no other, and stops nothing")
    void othersGoOn(Protocol protocol, String mode) throws Exception {
        Stage stage = Stage.of(2);
        String deleted = stage.topic + ".deleted";
        stage.kafka.createTopic(deleted, 3);
        Map<String, Object> config = new java.util.HashMap<>(protocol.config(Map.of()));
        config.put("metadata.max.age.ms", 500);
        AtomicInteger handled = new AtomicInteger();
        AtomicLong lastNanos = new AtomicLong(System.nanoTime());
        AtomicLong longestNanos = new AtomicLong();
        Duration interval = mode.equals("sync") ? Duration.ofSeconds(3) : Duration.ofHours(1);
        try (Laneway laneway = stage.consumer(config)
                .subscribe(stage.topic, deleted)
                .concurrency(1)
                .commit(mode.equals("sync") ? CommitMode.sync(interval) : CommitMode.async(interval))
                .process(record -> {
                    handled.incrementAndGet();
                    if (record.topic().equals(deleted)) {
                        return;
                    }
                    long now = System.nanoTime();
                    long gap = now - lastNanos.getAndSet(now);
                    longestNanos.accumulateAndGet(gap, Math::max);
                })) {
            for (int i = 0; i < 20; i++) {
                stage.kafka.produce(deleted, "key-" + i, "value");
                stage.kafka.produce(stage.topic, "key-" + i, "value");
            }
            await().atMost(LIMIT).until(() -> handled.get() >= 40);
            lastNanos.set(System.nanoTime());
            longestNanos.set(0);
            AtomicInteger produced = new AtomicInteger(40);
            long since = System.nanoTime();
            await().pollInterval(Duration.ofMillis(20)).atMost(LIMIT).until(() -> {
                stage.kafka.produce(stage.topic, "key", "value");
                produced.incrementAndGet();
                return System.nanoTime() - since > 3_000_000_000L;
            });
            await().atMost(LIMIT).until(() -> handled.get() >= produced.get());
            Duration before = Duration.ofNanos(longestNanos.get());
            lastNanos.set(System.nanoTime());
            longestNanos.set(0);
            stage.kafka.admin().deleteTopics(List.of(deleted)).all().get();
            await().pollInterval(Duration.ofMillis(20))
                    .atMost(Duration.ofMinutes(2))
                    .until(() -> {
                        stage.kafka.produce(stage.topic, "key", "value");
                        produced.incrementAndGet();
                        return laneway.assignment().size() == 2;
                    });
            await().atMost(LIMIT).until(() -> handled.get() >= produced.get());
            Duration slower = before.multipliedBy(SLOWER);
            assertThat(Duration.ofNanos(longestNanos.get()))
                    .as("silence of the other topic, which was %s before", before)
                    .isLessThan(slower.compareTo(SHORT) > 0 ? slower : SHORT);
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
        try (Laneway laneway = stage.consumer(Map.of("allow.auto.create.topics", "false", "metadata.max.age.ms", 500))
                .subscribe(stage.topic, deleted)
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
}
