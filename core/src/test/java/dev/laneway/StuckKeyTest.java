package dev.laneway;

import static dev.laneway.Stage.LIMIT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A key whose handler does not return, beside many others. */
class StuckKeyTest {
    private static final int RECORDS = 60_000;
    private static final int BUFFER = 2_000;
    private static final String STUCK = "stuck";
    /** As {@code offsets describe} shows it: printf '\\1stuck' | sha256sum | cut -c 1-16. */
    private static final String HASH = "b43089fa2e47b3df";
    /** Each so many records one is of the key. */
    private static final int SHARE = 20;

    private static String key(int i) {
        return i % SHARE == 0 ? STUCK : "key-" + i % 1_999;
    }

    private static List<Long> stuck(long from) {
        return LongStream.range(from, RECORDS)
                .filter(i -> i % SHARE == 0)
                .boxed()
                .toList();
    }

    private static int others() {
        return RECORDS - stuck(0).size();
    }

    private static List<Long> handled(Journal journal) {
        return journal.entries().stream()
                .filter(entry -> entry.key().equals(STUCK))
                .map(Journal.Entry::offset)
                .toList();
    }

    @ParameterizedTest(name = "{displayName}: {0}")
    @ValueSource(strings = {"classic", "consumer"})
    @DisplayName("B93 B94 a stuck key stops no other key; released, its records are handled in order, each once")
    void stopsNobody(String protocol) {
        Stage stage = Stage.of(1);
        stage.load(RECORDS, StuckKeyTest::key);
        Journal journal = new Journal();
        CountDownLatch release = new CountDownLatch(1);
        try (Laneway laneway = stage.consumer(Map.of("group.protocol", protocol))
                .bufferRecords(BUFFER)
                .stuckLimit(Duration.ofSeconds(1))
                .process(journal.watch(Journal.byKey(), record -> {
                    if (record.offset() == 0) {
                        release.await();
                    }
                }))) {
            await().atMost(LIMIT).until(() -> journal.size() >= others());
            assertThat(journal.size()).isEqualTo(others());
            PartitionSnapshot partition = laneway.snapshot().partitions().getFirst();
            assertThat(partition.held()).isLessThanOrEqualTo(BUFFER);
            assertThat(partition.spilledKeys()).isEqualTo(1);
            assertThat(partition.spilledRecords()).isBetween(1L, (long) stuck(1).size());
            await().atMost(LIMIT).until(() -> laneway.health().status() == Health.Status.DEGRADED);
            assertThat(laneway.health().reasons().getFirst())
                    .contains(stage.partition(0) + "@0", "stuckLimit", "key hash " + HASH, "RUNNING in attempt 1")
                    .contains("records or more of 1 key wait in the log", "mend the handler");
            release.countDown();
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
            await().atMost(LIMIT).until(() -> laneway.health().reasons().isEmpty());
            assertThat(laneway.snapshot().partitions().getFirst().spilledKeys()).isZero();
        }
        assertThat(handled(journal)).isEqualTo(stuck(0));
        assertThat(journal.repeated()).isEmpty();
        assertThat(journal.violations()).isEmpty();
    }

    @Test
    @DisplayName("B93 keys that are all busy for long are handled side by side, also where little may be held")
    void manyBusyKeys() throws Exception {
        int records = 6_000;
        int keys = 40;
        Duration each = Duration.ofMillis(30);
        Stage stage = Stage.of(4);
        stage.load(records, i -> "key-" + i % keys);
        Journal journal = new Journal();
        long begin = System.nanoTime();
        try (Laneway _ = stage.consumer(Map.of("max.poll.records", 20))
                .bufferRecords(400)
                .process(journal.watch(Journal.byKey(), record -> LockSupport.parkNanos(each.toNanos())))) {
            await().atMost(LIMIT).until(() -> journal.size() >= records);
            // Those of one key one after the other. Five times that is what one partition after the other would take.
            Duration least = each.multipliedBy(records / keys);
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(least.multipliedBy(3));
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
        }
        assertThat(journal.repeated()).isEmpty();
        assertThat(journal.violations()).isEmpty();
    }

    @Test
    @DisplayName("B94 B95 what a stuck key has left is all that a new owner handles, in order")
    void isHandedOn() {
        Stage stage = Stage.of(1);
        stage.load(RECORDS, StuckKeyTest::key);
        Journal first = new Journal();
        CountDownLatch never = new CountDownLatch(1);
        try (Laneway laneway = stage.consumer().bufferRecords(BUFFER).process(first.watch(Journal.byKey(), record -> {
            if (record.offset() == 100) {
                never.await();
            }
        }))) {
            long before = stuck(0).stream().filter(offset -> offset < 100).count();
            await().atMost(LIMIT).until(() -> first.size() >= others() + before);
            laneway.close(Duration.ZERO);
        }
        assertThat(stage.committed(0)).isEqualTo(100);
        stage.load(RECORDS, 1, i -> STUCK);
        Journal second = new Journal();
        try (Laneway _ = stage.consumer().bufferRecords(BUFFER).process(second.watch(Journal.byKey(), record -> {}))) {
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
        }
        assertThat(handled(second).subList(0, stuck(100).size())).isEqualTo(stuck(100));
        assertThat(second.entries().stream().map(Journal.Entry::key).collect(Collectors.toSet()))
                .isEqualTo(Set.of(STUCK));
        assertThat(second.size()).isEqualTo(stuck(100).size() + 1);
        assertThat(second.violations()).isEmpty();
    }

    @Test
    @DisplayName("B94 with exactly-once a stuck key's outputs are there once, in order, though its owner has changed")
    void exactlyOnce() {
        Stage stage = Stage.of(1);
        String out = stage.topic + ".out";
        stage.kafka.createTopic(out, 1);
        stage.load(RECORDS, StuckKeyTest::key);
        Journal first = new Journal();
        CountDownLatch never = new CountDownLatch(1);
        try (Laneway laneway = exactlyOnce(stage, out, record -> {
            if (record.offset() == 100) {
                never.await();
            }
            first.add(record);
        })) {
            long before = stuck(0).stream().filter(offset -> offset < 100).count();
            await().atMost(LIMIT).until(() -> first.size() >= others() + before);
            laneway.close(Duration.ZERO);
        }
        try (Laneway _ = exactlyOnce(stage, out, record -> {})) {
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
        }
        List<Integer> values = Stage.readCommitted(stage.kafka, out).stream()
                .map(Integer::valueOf)
                .toList();
        assertThat(values).hasSize(RECORDS).doesNotHaveDuplicates();
        assertThat(values.stream().filter(value -> value % SHARE == 0)).isSorted();
    }

    private static Laneway exactlyOnce(Stage stage, String out, RecordHandler<String, String> before) {
        return stage.consumer()
                .bufferRecords(BUFFER)
                .commit(CommitMode.exactlyOnce(stage.topic).withInterval(Duration.ofMillis(50)))
                .transform(new StringSerializer(), new StringSerializer(), record -> {
                    before.handle(record);
                    return List.of(new ProducerRecord<>(out, record.key(), record.value()));
                });
    }

    @Test
    @DisplayName("B94 batches: a stuck key stops no other key; released, its records are handled in order, each once")
    void batches() {
        Stage stage = Stage.of(1);
        stage.load(RECORDS, StuckKeyTest::key);
        Journal journal = new Journal();
        CountDownLatch release = new CountDownLatch(1);
        try (Laneway _ = stage.consumer().bufferRecords(BUFFER).processBatch(10, Duration.ZERO, batch -> {
            for (ConsumerRecord<String, String> record : batch) {
                if (record.offset() == 0) {
                    release.await();
                }
            }
            batch.forEach(journal::add);
            return BatchOutcome.done();
        })) {
            // The other keys of the batch are stuck, too: nine at most, with some 30 records each.
            await().atMost(LIMIT).until(() -> journal.size() >= others() - 9 * 31);
            release.countDown();
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
        }
        assertThat(handled(journal)).isEqualTo(stuck(0));
        assertThat(journal.size()).isEqualTo(RECORDS);
    }

    @Test
    @DisplayName("B94 what retention has taken of a stuck key is counted and told, and the key goes on behind it")
    void retention() throws Exception {
        Stage stage = Stage.of(1);
        stage.load(RECORDS, StuckKeyTest::key);
        Journal journal = new Journal();
        CountDownLatch release = new CountDownLatch(1);
        try (Laneway laneway = stage.consumer().bufferRecords(BUFFER).process(journal.watch(Journal.byKey(), record -> {
            if (record.offset() == 0) {
                release.await();
            }
        }))) {
            await().atMost(LIMIT).until(() -> journal.size() >= others());
            stage.kafka
                    .admin()
                    .deleteRecords(Map.of(stage.partition(0), RecordsToDelete.beforeOffset(RECORDS / 2)))
                    .all()
                    .get(30, TimeUnit.SECONDS);
            release.countDown();
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
            // Those that were held before had been read already.
            assertThat(laneway.snapshot().counters().lost() + handled(journal).size())
                    .isEqualTo(stuck(0).size());
            await().atMost(LIMIT)
                    .until(() -> laneway.health().reasons().stream()
                            .anyMatch(reason -> reason.contains("waited in the log behind a busy key and are gone")));
        }
        assertThat(handled(journal))
                .containsAll(stuck(RECORDS / 2))
                .contains(0L)
                .isSorted();
        assertThat(journal.repeated()).isEmpty();
    }

    @Test
    @DisplayName("B94 a second client that cannot be made is told by health, and made later")
    void noSecondClient() {
        Stage stage = Stage.of(1);
        stage.load(RECORDS, StuckKeyTest::key);
        Map<String, Object> config = stage.config(Map.of("enable.auto.commit", "false"));
        Journal journal = new Journal();
        CountDownLatch release = new CountDownLatch(1);
        AtomicBoolean fails = new AtomicBoolean();
        try (Laneway laneway = stage.strings(Laneway.consumer(config, () -> {
                    if (fails.get()) {
                        throw new NoClassDefFoundError("of the caller's client");
                    }
                    return new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer());
                }))
                .bufferRecords(BUFFER)
                .process(journal.watch(Journal.byKey(), record -> {
                    if (record.offset() == 0) {
                        release.await();
                    }
                }))) {
            await().atMost(LIMIT).until(() -> journal.size() >= others());
            fails.set(true);
            release.countDown();
            await().atMost(LIMIT)
                    .until(() -> laneway.health().reasons().stream()
                            .anyMatch(reason ->
                                    reason.contains("cannot be read again") && reason.contains("of the caller's")));
            fails.set(false);
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
            await().atMost(LIMIT).until(() -> laneway.health().reasons().isEmpty());
        }
        assertThat(handled(journal)).isEqualTo(stuck(0));
        assertThat(journal.repeated()).isEmpty();
    }
}
