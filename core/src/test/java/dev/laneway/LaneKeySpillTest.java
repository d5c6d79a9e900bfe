package dev.laneway;

import static dev.laneway.Stage.LIMIT;
import static dev.laneway.Stage.bytes;
import static dev.laneway.Stage.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A lane key whose handler does not return, beside many others: its records have keys of their own. */
class LaneKeySpillTest {
    private static final int RECORDS = 60_000;
    private static final int BUFFER = 2_000;
    private static final String STUCK = "stuck";
    /** Each so many records one is of that customer. */
    private static final int SHARE = 20;
    /** The record that does not end. */
    private static final long HEAD = 100;

    private static final LaneKey CUSTOMER = LaneKey.header("customer");
    private static final LaneKey RENAMED = LaneKey.of(
            "client", record -> record.headers().lastHeader("customer").value());

    /** As {@code offsets describe} shows it: printf 'header customer' | sha256sum | cut -c 1-8. */
    private static final String HASH = "32ca6b73";

    /** @param byHeader whether the header tells the customer, and each record has a key of its own; else the reverse */
    private static void load(Stage stage, boolean byHeader) {
        List<ProducerRecord<byte[], byte[]>> batch = new ArrayList<>(RECORDS);
        for (int i = 0; i < RECORDS; i++) {
            byte[] customer = bytes(i % SHARE == 0 ? STUCK : "customer-" + i % 1_999);
            byte[] order = bytes("order-" + i);
            RecordHeaders headers = new RecordHeaders();
            headers.add("customer", byHeader ? customer : order);
            batch.add(new ProducerRecord<>(
                    stage.topic, 0, null, byHeader ? order : customer, bytes(Integer.toString(i)), headers));
        }
        stage.kafka.produce(batch);
    }

    private static String customer(ConsumerRecord<String, String> record) {
        return String.valueOf(text(record.headers().lastHeader("customer").value()));
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

    private static List<Long> handledOfStuck(Journal journal) {
        return journal.entries().stream()
                .map(Journal.Entry::offset)
                .filter(offset -> offset % SHARE == 0)
                .toList();
    }

    /** All but the stuck lane key's records from its head on are done, and committed with a map that lists it. */
    private static Stage left(@Nullable LaneKey laneKey, CommitMode commit) {
        Stage stage = Stage.of(1);
        stage.kafka.createTopic(stage.topic + ".out", 1);
        load(stage, laneKey != null);
        Journal journal = new Journal();
        CountDownLatch never = new CountDownLatch(1);
        RecordHandler<String, String> handler = record -> {
            if (record.offset() == HEAD) {
                never.await();
            }
            journal.add(record);
        };
        try (Laneway laneway = start(stage, laneKey, commit, handler)) {
            long before = HEAD / SHARE;
            await().atMost(LIMIT).until(() -> journal.size() >= others() + before);
            laneway.close(Duration.ZERO);
        }
        assertThat(stage.committed(0)).isEqualTo(HEAD);
        return stage;
    }

    private static Laneway start(
            Stage stage, @Nullable LaneKey laneKey, CommitMode commit, RecordHandler<String, String> handler) {
        LanewayBuilder<String, String> builder = stage.consumer()
                .name(stage.topic)
                .laneKey(laneKey)
                .bufferRecords(BUFFER)
                .commit(commit);
        if (!(commit instanceof CommitMode.ExactlyOnce)) {
            return builder.process(handler);
        }
        return builder.transform(new StringSerializer(), new StringSerializer(), record -> {
            handler.handle(record);
            return List.of(new ProducerRecord<>(stage.topic + ".out", record.key(), record.value()));
        });
    }

    private static CommitMode exactlyOnce(String id) {
        return CommitMode.exactlyOnce(id).withInterval(Duration.ofMillis(50));
    }

    @Test
    @DisplayName("B136 a stuck lane key stops no other; released, its records are handled in order, each once")
    void stopsNobody() {
        Stage stage = Stage.of(1);
        load(stage, true);
        Journal journal = new Journal();
        CountDownLatch release = new CountDownLatch(1);
        try (Laneway laneway =
                start(stage, CUSTOMER, CommitMode.DEFAULT, journal.watch(LaneKeySpillTest::customer, record -> {
                    if (record.offset() == 0) {
                        release.await();
                    }
                }))) {
            await().atMost(LIMIT).until(() -> journal.size() >= others());
            assertThat(journal.size()).isEqualTo(others());
            PartitionSnapshot partition = laneway.snapshot().partitions().getFirst();
            assertThat(partition.spilledKeys()).isEqualTo(1);
            assertThat(partition.spilledRecords()).isBetween(1L, (long) stuck(1).size());
            release.countDown();
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
            assertThat(laneway.snapshot().counters().lost()).isZero();
        }
        assertThat(handledOfStuck(journal)).isEqualTo(stuck(0));
        assertThat(journal.repeated()).isEmpty();
        assertThat(journal.violations()).isEmpty();
    }

    @Test
    @DisplayName("B136 what an extractor does not find again, since it is not pure, is counted as lost, and told")
    void notPure() {
        Stage stage = Stage.of(1);
        load(stage, true);
        Journal journal = new Journal();
        CountDownLatch release = new CountDownLatch(1);
        LaneKey impure = LaneKey.of(
                "impure",
                record -> release.getCount() == 0
                        ? record.key()
                        : record.headers().lastHeader("customer").value());
        try (Laneway laneway = start(stage, impure, CommitMode.DEFAULT, journal.note(record -> {
            if (record.offset() == 0) {
                release.await();
            }
        }))) {
            await().atMost(LIMIT).until(() -> journal.size() >= others());
            release.countDown();
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
            assertThat(laneway.snapshot().counters().lost())
                    .isPositive()
                    .isEqualTo(stuck(0).size() - handledOfStuck(journal).size());
            await().atMost(LIMIT)
                    .until(() -> laneway.health().reasons().stream()
                            .anyMatch(reason -> reason.contains("extractor of laneKey impure returns another key")));
        }
    }

    @Test
    @DisplayName("B136 what a stuck lane key has left is all that a new owner handles, in order")
    void isHandedOn() {
        Stage stage = left(CUSTOMER, CommitMode.DEFAULT);
        Journal second = new Journal();
        try (Laneway _ = start(
                stage,
                LaneKey.header("customer"),
                CommitMode.DEFAULT,
                second.watch(LaneKeySpillTest::customer, record -> {}))) {
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
        }
        assertThat(handledOfStuck(second)).isEqualTo(stuck(HEAD));
        assertThat(second.size()).isEqualTo(stuck(HEAD).size());
        assertThat(second.violations()).isEmpty();
    }

    static Stream<Arguments> changes() {
        return Stream.of(
                Arguments.of(CUSTOMER, RENAMED, "a lane key whose id has hash " + HASH, "laneKey is client (hash "),
                Arguments.of(CUSTOMER, null, "a lane key whose id has hash " + HASH, "laneKey is none"),
                Arguments.of(null, CUSTOMER, "the record's own key", "laneKey is header customer (hash " + HASH));
    }

    @ParameterizedTest(name = "{displayName}: from {0} to {1}")
    @MethodSource("changes")
    @DisplayName("B137 with another lane key all is handled again from the first listed record on, and nothing is lost")
    void otherLaneKey(@Nullable LaneKey before, @Nullable LaneKey after, String theirs, String own) {
        Stage stage = left(before, CommitMode.DEFAULT);
        Journal second = new Journal();
        List<String> logged;
        try (Logs logs = Logs.of(stage.topic);
                Laneway _ = start(stage, after, CommitMode.DEFAULT, second.note(record -> {}))) {
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
            logged = logs.messages();
        }
        assertThat(logged)
                .anyMatch(message -> message.startsWith("WARN")
                        && message.contains(stage.partition(0).toString())
                        && message.contains(theirs)
                        && message.contains(own)
                        && message.contains("is handled again"));
        assertThat(second.offsets(0)).containsAll(stuck(HEAD));
        long first = second.entries().stream()
                .mapToLong(Journal.Entry::offset)
                .filter(offset -> offset % SHARE != 0)
                .min()
                .orElseThrow();
        Set<Long> handled = new HashSet<>(second.offsets(0));
        assertThat(LongStream.range(first, RECORDS).filter(offset -> !handled.contains(offset)))
                .as("not handled again")
                .isEmpty();
        assertThat(second.repeated()).isEmpty();
    }

    @ParameterizedTest(name = "{displayName}: from {0} to {1}")
    @MethodSource("changes")
    @DisplayName("B137 with exactly-once another lane key is refused at start, and nothing is handled or committed")
    void refusedWithExactlyOnce(@Nullable LaneKey before, @Nullable LaneKey after, String theirs, String own)
            throws Exception {
        CommitMode mode = exactlyOnce("lane-key-" + theirs + own);
        Stage stage = left(before, mode);
        String committed = stage.committed(0) + stage.metadata(0);
        Journal second = new Journal();
        try (Laneway laneway = start(stage, after, mode, second.note(record -> {}))) {
            await().atMost(LIMIT).until(() -> laneway.failure().isPresent());
            assertThat(laneway.failure().orElseThrow())
                    .isInstanceOf(ConfigurationException.class)
                    .hasMessageContaining("laneKey")
                    .hasMessageContaining(theirs)
                    .hasMessageContaining("go on with that one until none is listed");
        }
        assertThat(second.size()).isZero();
        assertThat(stage.committed(0) + stage.metadata(0)).isEqualTo(committed);
    }
}
