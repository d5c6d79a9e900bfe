package dev.laneway;

import static dev.laneway.Stage.LIMIT;
import static dev.laneway.Stage.millis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.laneway.testkit.EmbeddedKafka;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.clients.consumer.RetriableCommitFailedException;
import org.apache.kafka.common.errors.CoordinatorLoadInProgressException;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(120)
@DisplayName("Commits on a real broker")
class CommitTest {

    /** The ways in which a commit may fail. */
    enum Trouble {
        RETRIABLE,
        TIMEOUT,
        REBALANCE,
        MOVED_ON,
        LOADING,
        WAKEUP;

        RuntimeException failure() {
            return switch (this) {
                case RETRIABLE -> new RetriableCommitFailedException("told to");
                case TIMEOUT -> new TimeoutException("told to");
                case REBALANCE -> new RebalanceInProgressException("told to");
                case MOVED_ON -> new CommitFailedException("told to");
                case LOADING -> new CoordinatorLoadInProgressException("told to");
                case WAKEUP -> new WakeupException();
            };
        }
    }

    /** Makes the first commits fail, and passes the later ones. */
    private static Around firstCommits(int spoilt, AtomicInteger seen, Supplier<@Nullable RuntimeException> failure) {
        return (method, arguments, real) -> {
            if (method.startsWith("commit") && !method.equals("committed") && seen.getAndIncrement() < spoilt) {
                return spoil(method, arguments, failure.get());
            }
            return real.call();
        };
    }

    private static @Nullable Object spoil(String method, Object[] arguments, @Nullable RuntimeException failure) {
        if (method.equals("commitSync")) {
            throw failure == null ? new TimeoutException("never answered") : failure;
        }
        if (failure != null) {
            for (int i = 0; i < arguments.length; i++) {
                if (arguments[i] instanceof OffsetCommitCallback callback) {
                    callback.onComplete(Map.of(), failure);
                }
            }
        }
        return null;
    }

    @Test
    @DisplayName("B3 closed in mid-stream with gaps: the restart runs what was not done, and nothing else")
    void restartRunsTheGapsOnly() {
        Stage stage = Stage.of(2);
        stage.loadInto(0, 1_000, i -> "key-" + i);
        stage.loadInto(1, 1_000, i -> "key-" + i);
        int gaps = 2 * 143;
        CountDownLatch stuck = new CountDownLatch(gaps);
        CountDownLatch never = new CountDownLatch(1);
        Journal first = new Journal();
        try (Laneway laneway = stage.consumer().concurrency(500).process(first.note(record -> {
            if (record.offset() % 7 == 3) {
                stuck.countDown();
                never.await();
            }
        }))) {
            await().atMost(LIMIT).until(() -> stuck.getCount() == 0 && first.size() == 2_000 - gaps);
            laneway.close(Duration.ZERO);
        }

        Journal second = new Journal();
        try (Laneway _ = stage.consumer().process(second.note(record -> {}))) {
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
        }
        assertThat(second.entries()).allMatch(entry -> entry.offset() % 7 == 3);
        assertThat(second.size()).isEqualTo(gaps);
    }

    @Test
    @DisplayName("B5 a record that never ends: others go on, its map stays small, the restart repeats it alone")
    void stuckRecord() {
        Stage stage = Stage.of(1);
        stage.load(20_000, i -> "key-" + i);
        CountDownLatch never = new CountDownLatch(1);
        Journal first = new Journal();
        try (Laneway laneway = stage.consumer().process(first.note(record -> {
            if (record.offset() == 17) {
                never.await();
            }
        }))) {
            await().atMost(LIMIT).until(() -> first.size() == 19_999);
            await().atMost(LIMIT).until(() -> stage.committed(0) == 17);
            laneway.close(Duration.ZERO);
        }
        assertThat(stage.committed(0)).isEqualTo(17);
        assertThat(stage.metadata(0)).hasSizeBetween(1, 24);

        Journal second = new Journal();
        try (Laneway _ = stage.consumer().process(second.note(record -> {}))) {
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
        }
        assertThat(second.offsets(0)).containsExactly(17L);
    }

    @Tag("own-broker")
    @Test
    @DisplayName("B7 a broker with a small offset.metadata.max.bytes: no crash, no lost commit, an error that names it")
    void smallMetadataLimit() {
        try (EmbeddedKafka kafka = EmbeddedKafka.builder()
                        .property("offset.metadata.max.bytes", "64")
                        .start();
                Logs logs = new Logs()) {
            Stage stage = Stage.on(kafka, 1);
            stage.load(20_000, i -> "key-" + i);
            CountDownLatch release = new CountDownLatch(1);
            Journal journal = new Journal();
            try (Laneway laneway = stage.consumer()
                    .concurrency(2_000)
                    .commit(CommitMode.async(millis(100)))
                    .process(journal.note(record -> {
                        if (record.offset() % 13 == 5) {
                            release.await();
                        }
                    }))) {
                await().atMost(LIMIT)
                        .until(() -> logs.messages().stream()
                                .anyMatch(message ->
                                        message.startsWith("ERROR") && message.contains("offset.metadata.max.bytes")));
                await().atMost(LIMIT).until(() -> stage.committed(0) == 5);
                assertThat(stage.metadata(0).length()).isLessThanOrEqualTo(64);
                release.countDown();
                await().atMost(LIMIT).until(stage::isCommittedToEnd);
                assertThat(laneway.state()).isEqualTo(State.RUNNING);
            }
            assertThat(journal.repeated()).isEmpty();
            assertThat(journal.size()).isEqualTo(20_000);
        }
    }

    @ParameterizedTest(name = "{displayName}: {0}")
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "WAKEUP") // It is thrown by calls that wait, and by them only.
    @DisplayName("B14 B15 an asynchronous commit that fails is sent again with no new records, and stops nothing")
    void failedAsynchronousCommit(Trouble trouble) {
        Stage stage = Stage.of(1);
        stage.load(50, i -> "key");
        AtomicInteger commits = new AtomicInteger();
        Around around = firstCommits(3, commits, trouble::failure);
        try (Laneway laneway = stage.strings(
                        Laneway.consumer(clientConfig(stage), () -> around.consumer(clientConfig(stage))))
                .commit(CommitMode.async(millis(50)))
                .process(record -> {})) {
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
            assertThat(commits.get()).isGreaterThan(3);
            assertThat(laneway.snapshot().counters().failedCommits()).isEqualTo(3);
            assertThat(laneway.state()).isEqualTo(State.RUNNING);
        }
    }

    @Test
    @DisplayName("B14 an asynchronous commit that is never answered is sent again")
    void unansweredCommit() {
        Stage stage = Stage.of(1);
        stage.load(50, i -> "key");
        AtomicInteger commits = new AtomicInteger();
        Around around = firstCommits(2, commits, () -> null);
        try (Laneway laneway = stage.strings(
                        Laneway.consumer(clientConfig(stage), () -> around.consumer(clientConfig(stage))))
                .commit(CommitMode.async(millis(50)))
                .brokerLimit(millis(300))
                .process(record -> {})) {
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
            assertThat(laneway.snapshot().counters().failedCommits()).isEqualTo(2);
        }
    }

    @ParameterizedTest(name = "{displayName}: {0}")
    @EnumSource(Trouble.class)
    @DisplayName("B15 a synchronous commit that fails stops nothing and marks nothing clean")
    void failedSynchronousCommit(Trouble trouble) {
        Stage stage = Stage.of(1);
        stage.load(50, i -> "key");
        AtomicInteger commits = new AtomicInteger();
        Around around = firstCommits(3, commits, trouble::failure);
        try (Laneway laneway = stage.strings(
                        Laneway.consumer(clientConfig(stage), () -> around.consumer(clientConfig(stage))))
                .commit(CommitMode.sync(millis(50)))
                .process(record -> {})) {
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
            assertThat(commits.get()).isGreaterThan(3);
            assertThat(laneway.state()).isEqualTo(State.RUNNING);
        }
    }

    @Tag("own-broker")
    @Test
    @DisplayName("B14 what finishes while the broker is away is committed when it is back, with no new records")
    void brokerAway() {
        try (EmbeddedKafka kafka = EmbeddedKafka.start()) {
            Stage stage = Stage.on(kafka, 1);
            stage.load(100, i -> "key-" + i);
            CountDownLatch release = new CountDownLatch(1);
            CountDownLatch finished = new CountDownLatch(100);
            try (Laneway laneway = stage.consumer()
                    .commit(CommitMode.async(millis(100)))
                    .process(record -> {
                        release.await();
                        finished.countDown();
                    })) {
                await().atMost(LIMIT).until(() -> laneway.snapshot().held() == 100);
                kafka.stop(1);
                release.countDown();
                await().atMost(LIMIT).until(() -> finished.getCount() == 0);
                kafka.start(1);
                await().atMost(LIMIT).until(stage::isCommittedToEnd);
                assertThat(laneway.state()).isEqualTo(State.RUNNING);
            }
        }
    }

    @Test
    @DisplayName("B14 an old commit that fails late does not move the offset back")
    void offsetsDoNotMoveBack() {
        Stage stage = Stage.of(1);
        AtomicInteger commits = new AtomicInteger();
        Around around = firstCommits(1, commits, () -> new RetriableCommitFailedException("told to"));
        try (Laneway _ = stage.strings(
                        Laneway.consumer(clientConfig(stage), () -> around.consumer(clientConfig(stage))))
                .commit(CommitMode.async(millis(20)))
                .process(record -> {})) {
            long highest = 0;
            for (int round = 0; round < 30; round++) {
                stage.load(10, i -> "key");
                long now = stage.committed(0);
                assertThat(now).isGreaterThanOrEqualTo(highest == 0 ? -1 : highest);
                highest = Math.max(highest, now);
            }
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
        }
    }

    @Test
    @DisplayName("B12 a topic whose first offset is above zero, and a partition of it that stays quiet")
    void logsThatBeginLate() throws Exception {
        Stage stage = Stage.of(2);
        stage.loadInto(0, 100, i -> "key-" + i);
        stage.loadInto(1, 100, i -> "key-" + i);
        stage.kafka
                .admin()
                .deleteRecords(Map.of(
                        stage.partition(0), org.apache.kafka.clients.admin.RecordsToDelete.beforeOffset(40),
                        stage.partition(1), org.apache.kafka.clients.admin.RecordsToDelete.beforeOffset(100)))
                .all()
                .get();
        Journal journal = new Journal();
        try (Laneway laneway = stage.consumer().process(journal.note(record -> {}))) {
            await().atMost(LIMIT).until(() -> stage.committed(0) == 100);
            assertThat(laneway.snapshot().partitions().get(1).committable()).isEqualTo(100);
        }
        assertThat(journal.offsets(0))
                .isEqualTo(LongStream.range(40, 100).boxed().collect(Collectors.toSet()));
        assertThat(journal.offsets(1)).isEmpty();
        // Whatever was committed for the quiet partition, it is not 0, which the log no longer has.
        assertThat(stage.committed(1)).isIn(-1L, 100L);
    }

    private static Map<String, Object> clientConfig(Stage stage) {
        return stage.config(Map.of("enable.auto.commit", "false"));
    }
}
