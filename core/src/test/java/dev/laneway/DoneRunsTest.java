package dev.laneway;

import static dev.laneway.Stage.LIMIT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a new owner reads of records that an earlier one has done. */
class DoneRunsTest {
    private static final int RECORDS = 20_000;
    /** A value has 100 bytes or so, so this is some hundred records. */
    private static final int FETCH_BYTES = 20_000;

    /** Counts what its polls return, and notes where it seeks. */
    private static final class Counting extends KafkaConsumer<byte[], byte[]> {
        private final AtomicLong polled;
        private final List<OffsetAndMetadata> seeks;

        Counting(Map<String, Object> config, AtomicLong polled, List<OffsetAndMetadata> seeks) {
            super(config, new ByteArrayDeserializer(), new ByteArrayDeserializer());
            this.polled = polled;
            this.seeks = seeks;
        }

        @Override
        public void seek(TopicPartition id, long offset) {
            seeks.add(new OffsetAndMetadata(offset));
            super.seek(id, offset);
        }

        @Override
        public void seek(TopicPartition id, OffsetAndMetadata offset) {
            seeks.add(offset);
            super.seek(id, offset);
        }

        @Override
        public ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
            ConsumerRecords<byte[], byte[]> records = super.poll(timeout);
            polled.addAndGet(records.count());
            return records;
        }
    }

    private static Map<String, Object> config(Stage stage, String protocol) {
        return stage.config(Map.of(
                "group.protocol", protocol, "enable.auto.commit", "false", "max.partition.fetch.bytes", FETCH_BYTES));
    }

    private static void leave(Stage stage, Set<Long> undone) {
        Journal journal = new Journal();
        CountDownLatch never = new CountDownLatch(1);
        try (Laneway laneway = stage.consumer().bufferRecords(40_000).process(journal.note(record -> {
            if (undone.contains(record.offset())) {
                never.await();
            }
        }))) {
            await().atMost(LIMIT).until(() -> journal.size() == RECORDS - undone.size());
            laneway.close(Duration.ZERO);
        }
    }

    @ParameterizedTest(name = "{displayName}: {0}")
    @ValueSource(strings = {"classic", "consumer"})
    @DisplayName("B135 a new owner reads the records that were undone, and of those that are done little more")
    void seeksOverThem(String protocol) {
        Stage stage = Stage.of(1);
        stage.load(RECORDS, i -> "key-" + i + "x".repeat(100));
        leave(stage, Set.of(30L, 31L, 12_000L));
        stage.load(RECORDS, 1, i -> "new");
        Journal journal = new Journal();
        AtomicLong polled = new AtomicLong();
        List<OffsetAndMetadata> seeks = new CopyOnWriteArrayList<>();
        Map<String, Object> config = config(stage, protocol);
        try (Laneway _ = stage.strings(Laneway.consumer(config, () -> new Counting(config, polled, seeks)))
                .process(journal.note(record -> {}))) {
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
        }
        assertThat(journal.offsets(0)).isEqualTo(Set.of(30L, 31L, 12_000L, (long) RECORDS));
        assertThat(journal.repeated()).isEmpty();
        assertThat(polled.get()).isBetween(4L, 3_000L);
        assertThat(seeks).hasSizeGreaterThan(2).allMatch(to -> to.leaderEpoch().isPresent());
    }

    @Test
    @DisplayName("B135 what is still undone after a second owner is what a third one handles")
    void onceMore() {
        Stage stage = Stage.of(1);
        stage.load(RECORDS, i -> "key-" + i + "x".repeat(100));
        leave(stage, Set.of(30L, 12_000L));
        CountDownLatch never = new CountDownLatch(1);
        Journal second = new Journal();
        AtomicLong polled = new AtomicLong();
        Map<String, Object> config = config(stage, "classic");
        try (Laneway laneway = stage.strings(
                        Laneway.consumer(config, () -> new Counting(config, polled, new ArrayList<>())))
                .process(second.note(record -> {
                    if (record.offset() == 30) {
                        never.await();
                    }
                }))) {
            await().atMost(LIMIT).until(() -> second.size() == 1);
            laneway.close(Duration.ZERO);
        }
        assertThat(stage.committed(0)).isEqualTo(30);
        Journal third = new Journal();
        try (Laneway _ = stage.consumer().process(third.note(record -> {}))) {
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
        }
        assertThat(second.offsets(0)).isEqualTo(Set.of(12_000L));
        assertThat(third.offsets(0)).isEqualTo(Set.of(30L));
    }
}
