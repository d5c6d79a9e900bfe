package dev.laneway;

import static dev.laneway.Stage.LIMIT;
import static dev.laneway.Stage.bytes;
import static dev.laneway.Stage.millis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Execution(ExecutionMode.CONCURRENT) // It mostly waits.
@Timeout(120)
@DisplayName("Logs and offsets that others change, on a real broker")
class ChangedLogTest {

    private static Set<Long> range(long from, long to) {
        return LongStream.range(from, to).boxed().collect(Collectors.toCollection(TreeSet::new));
    }

    private static Map<String, Object> config(String protocol, String reset) {
        return Map.of("group.protocol", protocol, "auto.offset.reset", reset);
    }

    /** Handles all records except the undone ones, and commits with a map that names them. */
    private static OffsetAndMetadata leave(Stage stage, int records, Set<Long> undone) {
        Journal journal = new Journal();
        CountDownLatch never = new CountDownLatch(1);
        try (Laneway laneway = stage.consumer().process(journal.note(record -> {
            if (undone.contains(record.offset())) {
                never.await();
            }
        }))) {
            await().atMost(LIMIT).until(() -> journal.size() == records - undone.size());
            laneway.close(Duration.ZERO);
        }
        return stage.kafka.committed(stage.group).get(stage.partition(0));
    }

    @Test
    @DisplayName("B9 what was undone is compacted away before the restart: the base moves on, the map still counts")
    void compactedBeforeTheRestart() throws Exception {
        Stage stage = Stage.of(1);
        ConfigResource topic = new ConfigResource(ConfigResource.Type.TOPIC, stage.topic);
        stage.kafka
                .admin()
                .incrementalAlterConfigs(Map.of(
                        topic,
                        Map.of("cleanup.policy", "compact", "segment.ms", "100", "min.cleanable.dirty.ratio", "0.01")
                                .entrySet()
                                .stream()
                                .map(set -> new AlterConfigOp(
                                        new ConfigEntry(set.getKey(), set.getValue()), AlterConfigOp.OpType.SET))
                                .toList()))
                .all()
                .get();
        stage.load(20, i -> "key-" + i);
        OffsetAndMetadata left = leave(stage, 20, Set.of(3L, 4L, 9L));
        assertThat(left.offset()).isEqualTo(3);
        stage.load(20, 2, i -> "key-" + (i - 17)); // Later records of key-3 and key-4.
        await().atMost(LIMIT).pollInterval(millis(200)).until(() -> {
            stage.load(99, 1, i -> "filler"); // A broker closes a segment, which can then be compacted, by writing.
            return !offsets(stage, 3).contains(3L) && !offsets(stage, 3).contains(4L);
        });

        Journal journal = new Journal();
        try (Laneway _ = stage.consumer().process(journal.note(record -> {}))) {
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
        }
        assertThat(journal.offsets(0)).contains(9L, 20L, 21L).allMatch(offset -> offset == 9 || offset >= 20);
        assertThat(journal.repeated()).isEmpty();
    }

    /** Offsets that are in the log, from one on. */
    private static Set<Long> offsets(Stage stage, long from) {
        long end = stage.kafka.endOffsets(stage.topic).get(stage.partition(0));
        Set<Long> offsets = new TreeSet<>();
        try (Consumer<byte[], byte[]> reader = stage.kafka.consumer(Map.of())) {
            reader.assign(List.of(stage.partition(0)));
            reader.seek(stage.partition(0), from);
            while (reader.position(stage.partition(0)) < end) {
                reader.poll(millis(50)).forEach(record -> offsets.add(record.offset()));
            }
        }
        return offsets;
    }

    @ParameterizedTest(name = "{displayName}: {0}, {1}")
    @CsvSource({"classic, 20", "consumer, 20", "classic, 1000", "consumer, 1000"})
    @DisplayName("B10 the committed offset is not in the log, earliest: goes on where the log begins")
    void goneEarliest(String protocol, long committed) throws Exception {
        Stage stage = gone(committed);
        Journal journal = new Journal();
        try (Laneway _ = stage.consumer(config(protocol, "earliest")).process(journal.note(record -> {}))) {
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
        }
        assertThat(journal.offsets(0)).isEqualTo(range(50, 100));
        assertThat(journal.repeated()).isEmpty();
    }

    @ParameterizedTest(name = "{displayName}: {0}, {1}")
    @CsvSource({"classic, 20", "consumer, 20", "classic, 1000", "consumer, 1000"})
    @DisplayName("B10 the committed offset is not in the log, latest: goes on with what comes")
    void goneLatest(String protocol, long committed) throws Exception {
        Stage stage = gone(committed);
        Journal journal = new Journal();
        try (Laneway _ = stage.consumer(config(protocol, "latest")).process(journal.note(record -> {}))) {
            await().atMost(LIMIT).pollInterval(millis(100)).until(() -> {
                stage.load(1, i -> "key");
                return journal.size() > 0;
            });
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
        }
        Set<Long> handled = journal.offsets(0);
        long first = handled.iterator().next();
        assertThat(first).isGreaterThanOrEqualTo(100);
        assertThat(handled).isEqualTo(range(first, stage.committed(0)));
    }

    @ParameterizedTest(name = "{displayName}: {0}, {1}")
    @CsvSource({"classic, 20", "consumer, 20", "classic, 1000", "consumer, 1000"})
    @DisplayName("B10 the committed offset is not in the log, none: stops and says what to do; commits nothing")
    void goneNone(String protocol, long committed) throws Exception {
        Stage stage = gone(committed);
        Laneway laneway = stage.consumer(config(protocol, "none")).process(record -> {});
        assertThat(catchThrowable(() -> laneway.awaitTermination(LIMIT)))
                .isInstanceOf(BrokerException.class)
                .hasMessageContaining(stage.partition(0).toString())
                .hasMessageContaining("set it, or move the group's offsets (Laneway.resetOffsets)");
        assertThat(laneway.state()).isEqualTo(State.FAILED);
        assertThat(stage.committed(0)).isEqualTo(committed);
    }

    /** A log of 50 to 99, and a committed offset that is not in it. */
    private static Stage gone(long committed) throws Exception {
        Stage stage = Stage.of(1);
        stage.load(100, i -> "key-" + i);
        alter(stage, new OffsetAndMetadata(committed));
        cut(stage, 0, 50);
        return stage;
    }

    /** As retention does. */
    private static void cut(Stage stage, int partition, long before) throws Exception {
        stage.kafka
                .admin()
                .deleteRecords(Map.of(stage.partition(partition), RecordsToDelete.beforeOffset(before)))
                .all()
                .get();
    }

    private static void alter(Stage stage, OffsetAndMetadata offset) throws Exception {
        stage.kafka
                .admin()
                .alterConsumerGroupOffsets(stage.group, Map.of(stage.partition(0), offset))
                .all()
                .get();
    }

    @ParameterizedTest(name = "{displayName}: {0}")
    @ValueSource(strings = {"classic", "consumer"})
    @DisplayName("B10 retention overtakes a slow member: it ends what it holds, and goes on where the log begins")
    void overtaken(String protocol) throws Exception {
        Stage stage = Stage.of(1);
        stage.load(200, i -> "x".repeat(20_000));
        CountDownLatch gate = new CountDownLatch(1);
        Journal journal = new Journal();
        try (Laneway laneway = stage.consumer(Map.of("group.protocol", protocol, "max.partition.fetch.bytes", 100_000))
                .bufferRecords(10)
                .process(journal.note(record -> gate.await()))) {
            await().atMost(LIMIT).until(() -> laneway.snapshot().held() > 0);
            cut(stage, 0, 195);
            gate.countDown();
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
            assertThat(laneway.state()).isEqualTo(State.RUNNING);
        }
        assertThat(journal.offsets(0)).containsAll(range(195, 200)).contains(0L).doesNotContain(150L);
        assertThat(journal.repeated()).isEmpty();
    }

    @ParameterizedTest(name = "{displayName}: to {0}, the old map kept: {1}")
    @CsvSource({"10, false", "10, true", "70, false", "70, true"})
    @DisplayName("B11 an admin moves the offset while the group is stopped: it goes on there, whatever the map said")
    void movedByAnAdmin(long to, boolean mapKept) throws Exception {
        Stage stage = Stage.of(1);
        stage.load(100, i -> "key-" + i);
        OffsetAndMetadata left = leave(stage, 100, Set.of(30L, 80L));
        assertThat(left.offset()).isEqualTo(30);
        assertThat(left.metadata()).isNotEmpty();
        alter(stage, new OffsetAndMetadata(to, mapKept ? left.metadata() : ""));
        Journal journal = new Journal();
        try (Laneway _ = stage.consumer().process(journal.note(record -> {}))) {
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
        }
        assertThat(journal.offsets(0)).isEqualTo(range(to, 100));
        assertThat(journal.repeated()).isEmpty();
    }

    @Test
    @DisplayName("B113 a map that was copied to another partition's commit at the same offset is ignored, and told")
    void copiedToAnotherPartition() throws Exception {
        Stage stage = Stage.of(2);
        stage.loadInto(0, 100, i -> "key-" + i);
        OffsetAndMetadata left = leave(stage, 100, Set.of(30L, 80L));
        stage.loadInto(1, 100, i -> "key-" + i);
        stage.commit(1, left.offset(), left.metadata());
        Journal journal = new Journal();
        try (Logs logs = new Logs();
                Laneway _ = stage.consumer().process(journal.note(record -> {}))) {
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
            assertThat(logs.messages())
                    .filteredOn(line -> line.contains("another offset or partition than " + stage.partition(1) + "@30"))
                    .hasSize(1);
        }
        assertThat(journal.offsets(0)).as("its own map counts").isEqualTo(Set.of(30L, 80L));
        assertThat(journal.offsets(1)).isEqualTo(range(30, 100));
    }

    @ParameterizedTest(name = "{displayName}: {0}, {1}")
    @CsvSource({
        "read_committed, classic",
        "read_committed, consumer",
        "read_uncommitted, classic",
        "read_uncommitted, consumer"
    })
    @DisplayName("B13 markers of transactions at the log's head, at its tail and alone do not hold the commit back")
    void transactionMarkers(String isolation, String protocol) throws Exception {
        Stage stage = Stage.of(3);
        List<String> committed = new ArrayList<>();
        try (Producer<byte[], byte[]> producer = stage.kafka.producer(Map.of("transactional.id", stage.topic))) {
            producer.initTransactions();
            for (int partition = 0; partition < 3; partition++) {
                write(producer, stage, partition, 1, false);
            }
            // Partition 0 begins with a marker and ends with one; 1 ends with an aborted record; 2 is a marker alone.
            cut(stage, 0, 1);
            cut(stage, 2, 1);
            committed.addAll(write(producer, stage, 0, 10, true));
            committed.addAll(write(producer, stage, 1, 10, true));
            write(producer, stage, 1, 1, false);
        }
        Journal journal = new Journal();
        try (Laneway laneway = stage.consumer(Map.of("isolation.level", isolation, "group.protocol", protocol))
                .process(journal.note(record -> {}))) {
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
            assertThat(laneway.snapshot().held()).isZero();
        }
        assertThat(stage.committed(0)).isEqualTo(13);
        assertThat(stage.committed(1)).isEqualTo(15);
        assertThat(stage.committed(2)).isEqualTo(2);
        if (isolation.equals("read_committed")) {
            assertThat(journal.values()).containsExactlyInAnyOrderElementsOf(committed);
        } else {
            assertThat(journal.values()).containsAll(committed).hasSize(committed.size() + 2);
        }
    }

    /** One transaction; its values. */
    private static List<String> write(
            Producer<byte[], byte[]> producer, Stage stage, int partition, int records, boolean commit) {
        List<String> values = new ArrayList<>();
        producer.beginTransaction();
        for (int i = 0; i < records; i++) {
            String value = partition + "/" + i + (commit ? "" : " aborted");
            var _ = producer.send(new ProducerRecord<>(stage.topic, partition, bytes("key-" + i), bytes(value)));
            values.add(value);
        }
        if (commit) {
            producer.commitTransaction();
        } else {
            producer.flush();
            producer.abortTransaction();
        }
        return values;
    }
}
