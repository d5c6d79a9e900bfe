package dev.laneway;

import static dev.laneway.Stage.LIMIT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** More keys of one partition are stuck than a commit's metadata can list. */
class WhenMapIsFullTest {
    private static final int RECORDS = 30_000;
    private static final int STUCK_KEYS = 1_200;
    private static final String STUCK = "stuck-";

    private static String key(int i) {
        return i % 2 == 0 ? STUCK + i / 2 % STUCK_KEYS : "key-" + i % 1_999;
    }

    private static LanewayBuilder<String, String> consumer(Stage stage) {
        return stage.consumer().concurrency(2_000).bufferRecords(6_000).healthLimit(Duration.ofSeconds(1));
    }

    private static Optional<PauseReason> pauseReason(Laneway laneway) {
        return laneway.snapshot().partitions().getFirst().pauseReason();
    }

    private static String reasons(Laneway laneway) {
        return String.join("\n", laneway.health().reasons());
    }

    @Test
    @DisplayName("B93 B139 by default its intake stops, health names the keys, and it goes on when they do")
    void stopsIntake() {
        Stage stage = Stage.of(1);
        stage.load(RECORDS, WhenMapIsFullTest::key);
        Journal journal = new Journal();
        CountDownLatch release = new CountDownLatch(1);
        try (Laneway laneway = consumer(stage).process(journal.watch(Journal.byKey(), record -> {
            if (record.key().startsWith(STUCK)) {
                release.await();
            }
        }))) {
            await().atMost(LIMIT).until(() -> reasons(laneway).contains("has no room for more"));
            assertThat(laneway.health().status()).isEqualTo(Health.Status.DEGRADED);
            assertThat(reasons(laneway))
                    .contains(stage.partition(0) + " fetches nothing", "beyond offset 0")
                    .contains("by hash", "whenMapIsFull(REPEAT_AFTER_CRASH)");
            await().atMost(LIMIT).until(() -> pauseReason(laneway).isPresent());
            await().during(Duration.ofSeconds(2)).atMost(LIMIT).until(() -> {
                // It may fetch for a moment, as far as some records can be dropped.
                assertThat(pauseReason(laneway).orElse(PauseReason.METADATA_FULL))
                        .as("what health says too")
                        .isEqualTo(PauseReason.METADATA_FULL);
                return true;
            });
            assertThat(journal.size()).isLessThan(RECORDS / 2);
            release.countDown();
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
            await().atMost(LIMIT).until(() -> laneway.health().reasons().isEmpty());
        }
        assertThat(journal.size()).isEqualTo(RECORDS);
        assertThat(journal.repeated()).isEmpty();
        assertThat(journal.violations()).isEmpty();
    }

    @Test
    @DisplayName(
            "B93 B139 it goes on where that is chosen: health says what a crash would repeat, and it loses nothing")
    void repeatsAfterCrash() {
        Stage stage = Stage.of(1);
        stage.load(RECORDS, WhenMapIsFullTest::key);
        Journal first = new Journal();
        Set<String> begun = ConcurrentHashMap.newKeySet();
        CountDownLatch never = new CountDownLatch(1);
        try (Laneway laneway = consumer(stage)
                .whenMapIsFull(WhenMapIsFull.REPEAT_AFTER_CRASH)
                .process(first.watch(Journal.byKey(), record -> {
                    if (record.key().startsWith(STUCK)) {
                        begun.add(record.key());
                        never.await();
                    }
                }))) {
            await().atMost(LIMIT).until(() -> first.size() == RECORDS / 2);
            await().atMost(LIMIT).until(() -> reasons(laneway).contains("a crash now would repeat done records"));
            assertThat(laneway.health().status()).isEqualTo(Health.Status.DEGRADED);
            assertThat(begun).hasSize(STUCK_KEYS);
            laneway.close(Duration.ZERO);
        }
        assertThat(stage.committed(0)).isZero();
        assertThat(stage.metadata(0)).hasSizeBetween(1, 4_096);
        Journal second = new Journal();
        try (Laneway _ = consumer(stage).process(second.watch(Journal.byKey(), record -> {}))) {
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
        }
        TreeSet<Long> all = new TreeSet<>(offsets(first));
        all.addAll(offsets(second));
        assertThat(all).hasSize(RECORDS);
        assertThat(offsets(second))
                .containsAll(LongStream.range(0, RECORDS)
                        .filter(i -> i % 2 == 0)
                        .boxed()
                        .toList());
        assertThat(second.size()).as("what the map told is not repeated").isLessThan(RECORDS);
        assertThat(second.violations()).isEmpty();
    }

    private static List<Long> offsets(Journal journal) {
        return journal.entries().stream().map(Journal.Entry::offset).toList();
    }

    @Test
    @DisplayName("B139 who repeats nothing cannot choose to repeat")
    void isRefused() {
        Stage stage = Stage.of(1);
        for (CommitMode commit : List.of(CommitMode.exactlyOnce("id"), CommitMode.ahead())) {
            assertThatThrownBy(() -> consumer(stage)
                            .commit(commit)
                            .whenMapIsFull(WhenMapIsFull.REPEAT_AFTER_CRASH)
                            .process(record -> {}))
                    .isInstanceOf(ConfigurationException.class)
                    .hasMessageContainingAll("whenMapIsFull", "REPEAT_AFTER_CRASH", "STOP_INTAKE");
        }
    }
}
