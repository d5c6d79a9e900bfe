package dev.laneway;

import static dev.laneway.Stage.LIMIT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Records whose time has not come. */
class NotBeforeTest {
    private static final int RECORDS = 2_000;
    /** Of the times, from the start of the consumer on. */
    private static final int SPAN_MILLIS = 3_000;
    /** Characters of a value that is larger than what is kept of a dropped record. */
    private static final int LARGE = 1_000;

    /** The first of the times, once one is asked for: a busy machine may take long to start. */
    private final AtomicLong first = new AtomicLong();
    /** When each offset was handled. */
    private final Map<Long, Long> handledAt = new ConcurrentHashMap<>();

    private long began() {
        return first.updateAndGet(time -> time == 0 ? System.currentTimeMillis() + 1_500 : time);
    }

    /** Spread over the span, in no order; one in three has none. */
    private long time(long offset) {
        return offset % 3 == 0 ? 0 : began() + offset * 7_919 % SPAN_MILLIS;
    }

    private Instant instant(ConsumerRecord<byte[], byte[]> record) {
        return time(record.offset()) == 0 ? null : Instant.ofEpochMilli(time(record.offset()));
    }

    private void note(ConsumerRecord<String, String> record) {
        handledAt.put(record.offset(), System.currentTimeMillis());
    }

    /** How late each record with a time was, in order; those that waited for others of their key are left out. */
    private List<Long> late(int keys) {
        List<Long> late = new ArrayList<>();
        handledAt.forEach((offset, at) -> {
            boolean waitsForOthers = LongStream.iterate(
                            offset % keys, before -> before < offset, before -> before + keys)
                    .anyMatch(before -> time(before) > time(offset));
            if (time(offset) > 0 && !waitsForOthers) {
                late.add(at - time(offset));
            }
        });
        late.sort(null);
        return late;
    }

    @ParameterizedTest(name = "{displayName}: {0}")
    @EnumSource(names = {"KEY", "UNORDERED"})
    @DisplayName("B138 each is handled when its time has come, and holds up none but those of its key")
    void ofEach(Ordering ordering) {
        int keys = ordering == Ordering.KEY ? 100 : RECORDS;
        Stage stage = Stage.of(1);
        stage.load(RECORDS, i -> "key-" + i % keys);
        Journal journal = new Journal();
        try (Laneway laneway = stage.consumer()
                .ordering(ordering)
                .notBefore(this::instant)
                .process(
                        ordering == Ordering.KEY
                                ? journal.watch(Journal.byKey(), this::note)
                                : journal.note(this::note))) {
            await().atMost(LIMIT)
                    .until(() ->
                            laneway.snapshot().partitions().stream().anyMatch(partition -> partition.delayed() > 0));
            assertThat(laneway.health().reasons()).isEmpty();
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
            assertThat(laneway.snapshot().partitions().getFirst().delayed()).isZero();
        }
        assertThat(journal.size()).isEqualTo(RECORDS);
        assertThat(journal.repeated()).isEmpty();
        assertThat(journal.violations()).isEmpty();
        List<Long> late = late(keys);
        assertThat(late.getFirst()).isNotNegative();
    }

    @Test
    @DisplayName("B138 a restart repeats nothing that was done, and handles the others when their time has come")
    void restart() {
        Stage stage = Stage.of(1);
        stage.load(RECORDS, i -> "key-" + i);
        Journal first = new Journal();
        long nothingBefore = System.currentTimeMillis() + 3_600_000;
        try (Laneway laneway = stage.consumer()
                .notBefore(record -> record.offset() % 3 == 0 ? null : Instant.ofEpochMilli(nothingBefore))
                .process(first.note(record -> {}))) {
            await().atMost(LIMIT).until(() -> first.size() == (RECORDS + 2) / 3);
            laneway.close(Duration.ofSeconds(5));
        }
        Journal second = new Journal();
        try (Laneway _ = stage.consumer().process(second.note(record -> {}))) {
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
        }
        assertThat(second.size()).isEqualTo(RECORDS - first.size());
        assertThat(first.entries()).allMatch(entry -> entry.offset() % 3 == 0);
        assertThat(second.entries()).noneMatch(entry -> entry.offset() % 3 == 0);
    }

    @Test
    @DisplayName("B138 where times rise the partition waits: it holds one poll, and fetches in time")
    void rising() {
        int poll = 50;
        Stage stage = Stage.of(1);
        stage.load(RECORDS, i -> "key-" + i);
        try (Laneway laneway = stage.consumer(Map.of("max.poll.records", poll))
                .notBefore(NotBefore.rising(record -> Instant.ofEpochMilli(began() + 4_500 + record.offset())))
                .process(this::note)) {
            PartitionSnapshot paused = await().atMost(LIMIT)
                    .until(
                            () -> laneway.snapshot().partitions().stream()
                                    .filter(partition -> partition
                                            .pauseReason()
                                            .filter(PauseReason.DELAYED::equals)
                                            .isPresent())
                                    .findFirst()
                                    .orElse(null),
                            Objects::nonNull);
            assertThat(paused.held()).as("one poll").isBetween(1L, (long) poll);
            assertThat(laneway.health().status()).isEqualTo(Health.Status.UP);
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
        }
        List<Long> late = new ArrayList<>();
        handledAt.forEach((offset, at) -> late.add(at - began() - 4_500 - offset));
        late.sort(null);
        assertThat(late).hasSize(RECORDS);
        assertThat(late.getFirst()).isNotNegative();
    }

    @Test
    @DisplayName("B138 in the order of the partition all records behind one wait with it")
    void inPartitionOrder() {
        Stage stage = Stage.of(1);
        stage.load(RECORDS, i -> "key-" + i);
        Journal journal = new Journal();
        try (Laneway _ = stage.consumer()
                .ordering(Ordering.PARTITION)
                .notBefore(record -> record.offset() == 10 ? Instant.ofEpochMilli(began()) : null)
                .process(journal.watch(Journal.byPartition(), this::note))) {
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
        }
        for (long offset = 10; offset < RECORDS; offset++) {
            assertThat(handledAt.get(offset)).isGreaterThanOrEqualTo(began());
        }
        assertThat(journal.violations()).isEmpty();
    }

    @Test
    @DisplayName("B138 a batch has no record before its time")
    void batches() {
        Stage stage = Stage.of(1);
        stage.load(RECORDS, i -> "key-" + i % 100);
        Set<Long> early = ConcurrentHashMap.newKeySet();
        AtomicInteger handled = new AtomicInteger();
        try (Laneway _ = stage.consumer().notBefore(this::instant).processBatch(50, Duration.ZERO, batch -> {
            for (ConsumerRecord<String, String> record : batch) {
                if (System.currentTimeMillis() < time(record.offset())) {
                    early.add(record.offset());
                }
                handled.incrementAndGet();
            }
            return BatchOutcome.done();
        })) {
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
        }
        assertThat(early).isEmpty();
        assertThat(handled).hasValue(RECORDS);
    }

    @ParameterizedTest(name = "{displayName}: {0}")
    @EnumSource(names = {"KEY", "UNORDERED"})
    @DisplayName("B97 what waits for an hour is not held: others go on, and a restart handles it, each record once")
    void waitsInTheLog(Ordering ordering) {
        int records = 10_000;
        int buffer = 1_000;
        Stage stage = Stage.of(1);
        stage.loadLarge(records, LARGE, i -> "key-" + i);
        Journal first = new Journal();
        try (Laneway laneway = stage.consumer()
                .ordering(ordering)
                .bufferRecords(buffer)
                .process((record, context) -> {
                    if (record.offset() % 10 != 0) {
                        return Outcome.retryAfter(Duration.ofHours(1));
                    }
                    first.add(record);
                    return Outcome.done();
                })) {
            await().atMost(LIMIT).until(() -> first.size() == records / 10);
            PartitionSnapshot partition = laneway.snapshot().partitions().getFirst();
            assertThat(partition.held()).isLessThanOrEqualTo(buffer);
            assertThat(partition.spilledRecords()).isGreaterThan(records / 2);
            laneway.close(Duration.ofSeconds(5));
        }
        Journal second = new Journal();
        try (Laneway _ = stage.consumer().ordering(ordering).process(second.note(record -> {}))) {
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
        }
        assertThat(second.size()).isEqualTo(records - first.size());
        assertThat(second.repeated()).isEmpty();
        assertThat(second.entries()).noneMatch(entry -> entry.offset() % 10 == 0);
    }

    @ParameterizedTest(name = "{displayName}: {0}")
    @EnumSource(names = {"KEY", "UNORDERED"})
    @DisplayName("B97 what was dropped while it waited is read again in time, whole, and handled in order")
    void isReadAgain(Ordering ordering) {
        int records = 3_000;
        Stage stage = Stage.of(1);
        stage.loadLarge(records, LARGE, i -> "key-" + i % 2_000);
        Journal journal = new Journal();
        Set<Long> retried = ConcurrentHashMap.newKeySet();
        try (Laneway laneway = stage.consumer()
                .ordering(ordering)
                .bufferRecords(300)
                .process((record, context) -> {
                    if (context.attempt() == 1 && record.offset() < 2_000) {
                        retried.add(record.offset());
                        return Outcome.retryAfter(Duration.ofSeconds(12));
                    }
                    journal.add(record);
                    return Outcome.done();
                })) {
            await().atMost(LIMIT)
                    .until(() -> laneway.snapshot().partitions().stream()
                            .anyMatch(partition -> partition.spilledRecords() > 300));
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
            assertThat(laneway.snapshot().counters().lost()).isZero();
        }
        assertThat(retried).hasSize(2_000);
        assertThat(journal.size()).isEqualTo(records);
        assertThat(journal.repeated()).isEmpty();
        assertThat(journal.entries()).allMatch(entry -> Long.parseLong(entry.value()) == entry.offset());
    }

    @ParameterizedTest(name = "{displayName}: {0}")
    @EnumSource(names = {"KEY", "UNORDERED"})
    @DisplayName("B138 what waits for its time lets those behind it go on, however many it is")
    void holdsUpNoOthers(Ordering ordering) {
        Stage stage = Stage.of(1);
        stage.load(RECORDS, i -> "key-" + i);
        Journal journal = new Journal();
        Instant later = Instant.now().plusSeconds(3_600);
        try (Laneway laneway = stage.consumer()
                .ordering(ordering)
                .bufferRecords(200)
                .notBefore(record -> record.offset() < RECORDS - 100 ? later : null)
                .process(journal.note(record -> {}))) {
            await().atMost(LIMIT).until(() -> journal.size() == 100);
            laneway.close(Duration.ofSeconds(5));
        }
        assertThat(journal.entries()).allMatch(entry -> entry.offset() >= RECORDS - 100);
        assertThat(journal.repeated()).isEmpty();
    }

    @ParameterizedTest(name = "{displayName}: {0}")
    @EnumSource(names = {"KEY", "UNORDERED"})
    @DisplayName("B138 what waited beside many others is handled once, as soon as its time has come")
    void comesSoon(Ordering ordering) {
        Stage stage = Stage.of(1);
        stage.load(RECORDS, i -> "key-" + i);
        Journal journal = new Journal();
        try (Laneway _ = stage.consumer()
                .ordering(ordering)
                .bufferRecords(200)
                .notBefore(record -> record.offset() < RECORDS - 100 ? Instant.ofEpochMilli(began()) : null)
                .process(journal.note(this::note))) {
            await().atMost(LIMIT).until(() -> journal.size() == RECORDS);
        }
        for (long offset = 0; offset < RECORDS - 100; offset++) {
            assertThat(handledAt.get(offset)).isGreaterThanOrEqualTo(began());
        }
        assertThat(journal.repeated()).isEmpty();
    }

    @Test
    @DisplayName("B138 B114 health names a partition whose bytes are full of records that wait for their time")
    void fillsTheBytes() {
        Stage stage = Stage.of(1);
        stage.load(RECORDS, i -> "key-" + i);
        try (Laneway laneway = stage.consumer(Map.of("max.partition.fetch.bytes", 10_000))
                .bufferRecords(200)
                .bufferBytes(200_000)
                .notBefore(record ->
                        record.offset() < RECORDS - 100 ? Instant.now().plusSeconds(3_600) : null)
                .process(this::note)) {
            await().atMost(LIMIT).until(() -> laneway.health().status() == Health.Status.DEGRADED);
            assertThat(laneway.health().reasons())
                    .singleElement()
                    .asString()
                    .contains(stage.topic + "-0 fetches nothing: ", "wait for their time", "raise bufferBytes");
            assertThat(handledAt).isEmpty();
            laneway.close(Duration.ofSeconds(5));
        }
    }

    @Test
    @DisplayName("B138 a drain does not wait for what has to wait for hours, and says that it has not done all")
    void drain() {
        Stage stage = Stage.of(1);
        stage.load(100, i -> "key-" + i % 10);
        Journal journal = new Journal();
        try (Laneway laneway = stage.consumer()
                .notBefore(record -> record.offset() == 5 ? Instant.now().plusSeconds(3_600) : null)
                .process(journal.note(record -> {}))) {
            await().atMost(LIMIT).until(() -> journal.size() == 90);
            assertThat(laneway.drain(Duration.ofMinutes(5))).isFalse();
        }
        assertThat(journal.entries()).noneMatch(entry -> entry.offset() % 10 == 5);
    }

    @Test
    @DisplayName("B138 a drain says so, too, where what has to wait was dropped")
    void drainsBesideDropped() {
        Stage stage = Stage.of(1);
        stage.loadLarge(1_000, LARGE, i -> "key-" + i);
        try (Laneway laneway = stage.consumer()
                .bufferRecords(100)
                .notBefore(record -> Instant.now().plusSeconds(3_600))
                .process(this::note)) {
            await().atMost(LIMIT)
                    .until(() -> laneway.snapshot().partitions().stream()
                            .anyMatch(partition -> partition.spilledRecords() > 500));
            assertThat(laneway.drain(Duration.ofMinutes(5))).isFalse();
        }
        assertThat(handledAt).isEmpty();
    }

    @Test
    @DisplayName("B138 a record whose time cannot be found goes where the failure policy says")
    void unknownTime() {
        Stage stage = Stage.of(1);
        stage.load(100, i -> "key-" + i);
        Journal journal = new Journal();
        try (Laneway laneway = stage.consumer()
                        .notBefore(record -> {
                            if (record.offset() == 7) {
                                throw new IllegalStateException("no such header");
                            }
                            return null;
                        })
                        .onFailure(FailurePolicy.skip())
                        .process(journal.note(record -> {}));
                Logs logs = new Logs()) {
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
            assertThat(laneway.snapshot().counters().skipped()).isEqualTo(1);
            assertThat(logs).isNotNull();
        }
        assertThat(journal.size()).isEqualTo(99);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1764230400000", "2025-11-27T08:00:00Z", " 2025-11-27T08:00:00Z "})
    @DisplayName("B138 a header has milliseconds or ISO text")
    void header(String value) throws Exception {
        assertThat(timeOf(value.getBytes(StandardCharsets.UTF_8))).isEqualTo(Instant.parse("2025-11-27T08:00:00Z"));
    }

    @Test
    @DisplayName("B138 a header has milliseconds as eight bytes, none is at once, and other text is refused")
    void otherHeaders() throws Exception {
        byte[] millis = ByteBuffer.allocate(8).putLong(1_764_230_400_000L).array();
        assertThat(timeOf(millis)).isEqualTo(Instant.parse("2025-11-27T08:00:00Z"));
        assertThat(timeOf(null)).isNull();
        assertThatThrownBy(() -> timeOf("soon".getBytes(StandardCharsets.UTF_8)))
                .hasMessageContainingAll("\"soon\" is no time", "2026-11-27T09:00:00Z");
    }

    private static Instant timeOf(byte[] value) throws Exception {
        ConsumerRecord<byte[], byte[]> record = new ConsumerRecord<>("orders", 0, 0, null, null);
        record.headers().add(new RecordHeader("due", value));
        return NotBefore.header("due").time().of(record);
    }

    @Test
    @DisplayName("B138 at-most-once delays no record that it has committed")
    void isRefused() {
        Stage stage = Stage.of(1);
        assertThatThrownBy(() -> stage.consumer()
                        .commit(CommitMode.ahead())
                        .notBefore(NotBefore.afterTimestamp(Duration.ofHours(1)))
                        .process(record -> {}))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContainingAll("notBefore", "at-most-once");
        assertThatThrownBy(() -> NotBefore.afterTimestamp(Duration.ofSeconds(-1)))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("notBefore.delay");
    }
}
