package dev.laneway.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.NoOffsetForPartitionException;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InvalidGroupIdException;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Where reading starts, what poll returns, and what pause, seek and wakeup do to it. */
public abstract class FetchContract extends KafkaContract {

    @ParameterizedTest(name = "{0}")
    @EnumSource
    @DisplayName("B29 data fetched for a paused partition is kept, not fetched again, and returned after resume")
    void pauseKeepsData(GroupKind kind) {
        topicWith(1, 50);
        Members.Member a = join("a", kind, Map.of("max.poll.records", 10));
        members.pollUntil(() -> !a.records.isEmpty());
        double fetches = metric(a.consumer, "fetch-total");
        double bytes = metric(a.consumer, "bytes-consumed-total");
        a.consumer.pause(Set.of(partition(0)));
        int before = a.records.size();
        members.poll(10);
        assertThat(a.records).hasSize(before);
        assertThat(a.consumer.position(partition(0))).isEqualTo(before);
        a.consumer.resume(Set.of(partition(0)));
        // Not waiting for any fetch: what is returned was there.
        assertThat(a.consumer.poll(Duration.ZERO).count()).isEqualTo(10);
        assertThat(metric(a.consumer, "fetch-total") - fetches).isLessThanOrEqualTo(1);
        assertThat(metric(a.consumer, "bytes-consumed-total")).isGreaterThanOrEqualTo(bytes);
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource
    @DisplayName("B26 while a poll may return buffered records nothing is fetched; others alone keep them waiting")
    void fetchesAlone(GroupKind kind) {
        topicWith(2, 0);
        append(0, 0, 20);
        // What a fetch brings of a partition is buffered until the poll after the one that returns the last of it.
        Members.Member a = join("a", kind, Map.of("max.poll.records", 5, "fetch.max.wait.ms", 3_000));
        members.pollUntil(() -> a.records.size() == 5);
        append(1, 0, 1);
        double fetches = metric(a.consumer, "fetch-total");
        members.pollUntil(() -> a.records.size() == 20);
        assertThat(metric(a.consumer, "fetch-total")).isEqualTo(fetches);
        members.pollUntil(() -> a.records.size() == 21);
        append(0, 20, 40);
        members.pollUntil(() -> a.records.size() > 21);
        a.consumer.pause(Set.of(partition(0)));
        members.poll(2);
        // The other one's fetch is under way now, for 3 s: what is buffered comes, what is behind it does not.
        a.consumer.resume(Set.of(partition(0)));
        members.pollUntil(() -> a.records.size() == 41);
        append(0, 40, 41);
        members.poll(20);
        assertThat(a.records).hasSize(41);
        members.pollUntil(() -> a.records.size() == 42);
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource
    @DisplayName("The lag is that of the latest fetch")
    void lag(GroupKind kind) {
        topicWith(1, 10);
        Members.Member a = join("a", kind, Map.of("max.poll.records", 4));
        members.pollUntil(() -> a.records.size() == 4);
        assertThat(a.consumer.currentLag(partition(0))).hasValue(6);
        members.pollUntil(() -> a.records.size() == 10);
        assertThat(a.consumer.currentLag(partition(0))).hasValue(0);
        append(0, 10, 15);
        assertThat(a.consumer.currentLag(partition(0))).hasValue(0);
        members.pollUntil(() -> a.records.size() == 14);
        assertThat(a.consumer.currentLag(partition(0))).hasValue(1);
    }

    private static double metric(Consumer<byte[], byte[]> consumer, String name) {
        return consumer.metrics().values().stream()
                .filter(metric -> metric.metricName().name().equals(name)
                        && metric.metricName().group().equals("consumer-fetch-manager-metrics")
                        && metric.metricName().tags().size() == 1)
                .mapToDouble(metric -> (Double) metric.metricValue())
                .sum();
    }

    @Test
    @DisplayName("poll returns at most max.poll.records, and one partition's chunk before the next one's")
    void chunks() {
        topicWith(3, 10);
        Consumer<byte[], byte[]> consumer =
                assigned(Map.of("max.poll.records", 4), partition(0), partition(1), partition(2));
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < 400 && order.size() < 30; i++) {
            ConsumerRecords<byte[], byte[]> records = consumer.poll(SOON);
            assertThat(records.count()).isLessThanOrEqualTo(4);
            records.partitions().forEach(partition -> {
                int last = (int) records.records(partition).getLast().offset();
                assertThat(records.nextOffsets().get(partition).offset()).isEqualTo(last + 1);
            });
            records.forEach(record -> order.add(record.partition()));
        }
        assertThat(order).hasSize(30);
        // Three runs of ten: no partition is left before its chunk is used up.
        assertThat(LongStream.range(1, 30)
                        .filter(i -> !order.get((int) i).equals(order.get((int) i - 1)))
                        .count())
                .isEqualTo(2);
    }

    @Test
    @DisplayName("records carry key, value, headers, timestamp, sizes; a null stays null")
    void contents() {
        cluster.createTopic(topic, 1);
        RecordHeaders headers = new RecordHeaders();
        headers.add("h", bytes("v"));
        headers.add("h", null);
        cluster.append(List.of(
                new ProducerRecord<>(topic, 0, 1_234L, bytes("key"), bytes("value"), headers),
                new ProducerRecord<>(topic, 0, 5_678L, null, null, List.of())));
        Consumer<byte[], byte[]> consumer = assigned(Map.of(), partition(0));
        List<ConsumerRecord<byte[], byte[]>> records = read(consumer, 2);
        ConsumerRecord<byte[], byte[]> first = records.getFirst();
        assertThat(first.key()).isEqualTo(bytes("key"));
        assertThat(first.value()).isEqualTo(bytes("value"));
        assertThat(first.headers()).isEqualTo(headers);
        assertThat(first.timestamp()).isEqualTo(1_234L);
        assertThat(first.serializedKeySize()).isEqualTo(3);
        assertThat(first.serializedValueSize()).isEqualTo(5);
        assertThat(first.leaderEpoch()).hasValue(0);
        ConsumerRecord<byte[], byte[]> second = records.getLast();
        assertThat(second.key()).isNull();
        assertThat(second.value()).isNull();
        assertThat(second.serializedKeySize()).isEqualTo(-1);
        assertThat(second.serializedValueSize()).isEqualTo(-1);
    }

    private List<ConsumerRecord<byte[], byte[]>> read(Consumer<byte[], byte[]> consumer, int count) {
        List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
        for (int i = 0; i < 400 && records.size() < count; i++) {
            consumer.poll(SOON).forEach(records::add);
        }
        assertThat(records).hasSizeGreaterThanOrEqualTo(count);
        return records;
    }

    @Test
    @DisplayName("seek goes back and forth, and drops what was buffered")
    void seek() {
        topicWith(1, 20);
        Consumer<byte[], byte[]> consumer = assigned(Map.of("max.poll.records", 5), partition(0));
        assertThat(read(consumer, 5)).hasSize(5);
        consumer.seek(partition(0), 2);
        assertThat(consumer.position(partition(0))).isEqualTo(2);
        assertThat(read(consumer, 5).getFirst().offset()).isEqualTo(2);
        consumer.seek(partition(0), 17);
        assertThat(read(consumer, 3).stream().map(ConsumerRecord::offset)).containsExactly(17L, 18L, 19L);
        consumer.seekToBeginning(Set.of(partition(0)));
        assertThat(consumer.position(partition(0))).isZero();
        consumer.seekToEnd(Set.of());
        assertThat(consumer.position(partition(0))).isEqualTo(20);
        assertThatThrownBy(() -> consumer.seek(partition(0), -1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> consumer.seek(partition(1), 0)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> consumer.position(partition(1))).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> consumer.pause(Set.of(partition(1)))).isInstanceOf(IllegalStateException.class);
    }

    @Test
    @DisplayName("auto.offset.reset: earliest and latest choose, none throws from poll")
    void resetWithoutOffset() {
        topicWith(1, 5);
        assertThat(read(assigned(Map.of("auto.offset.reset", "earliest"), partition(0)), 5)
                        .getFirst()
                        .offset())
                .isZero();
        Consumer<byte[], byte[]> latest = assigned(Map.of("auto.offset.reset", "latest"), partition(0));
        assertThat(latest.position(partition(0))).isEqualTo(5);
        append(0, 5, 6);
        assertThat(read(latest, 1).getFirst().offset()).isEqualTo(5);
        Consumer<byte[], byte[]> none = assigned(Map.of("auto.offset.reset", "none"), partition(0));
        assertThatThrownBy(() -> pollSome(none, 100))
                .isInstanceOfSatisfying(
                        NoOffsetForPartitionException.class,
                        e -> assertThat(e.partitions()).containsExactly(partition(0)));
    }

    private static void pollSome(Consumer<byte[], byte[]> consumer, int times) {
        for (int i = 0; i < times; i++) {
            consumer.poll(SOON);
        }
    }

    @Test
    @DisplayName("a position that retention has deleted: earliest and latest move, none throws with the offset")
    void resetOutOfRange() {
        topicWith(1, 10);
        cluster.deleteRecordsBefore(partition(0), 6);
        Consumer<byte[], byte[]> earliest = assigned(Map.of("auto.offset.reset", "earliest"), partition(0));
        earliest.seek(partition(0), 2);
        assertThat(read(earliest, 4).getFirst().offset()).isEqualTo(6);
        Consumer<byte[], byte[]> latest = assigned(Map.of("auto.offset.reset", "latest"), partition(0));
        latest.seek(partition(0), 2);
        for (int i = 0; i < 400 && latest.position(partition(0)) != 10; i++) {
            assertThat(latest.poll(SOON).count()).isZero();
        }
        assertThat(latest.position(partition(0))).isEqualTo(10);
        Consumer<byte[], byte[]> none = assigned(Map.of("auto.offset.reset", "none"), partition(0));
        none.seek(partition(0), 2);
        assertThatThrownBy(() -> pollSome(none, 400))
                .isInstanceOfSatisfying(
                        OffsetOutOfRangeException.class,
                        e -> assertThat(e.offsetOutOfRangePartitions()).isEqualTo(Map.of(partition(0), 2L)));
    }

    @Test
    @DisplayName("a fetch brings whole chunks within max.partition.fetch.bytes, and one record however large")
    void fetchSizes() {
        cluster.createTopic(topic, 1);
        for (int i = 0; i < 4; i++) {
            cluster.append(List.of(new ProducerRecord<>(topic, 0, null, new byte[10_000])));
        }
        Consumer<byte[], byte[]> consumer = assigned(Map.of("max.partition.fetch.bytes", 1_000), partition(0));
        int polls = 0;
        int records = 0;
        for (int i = 0; i < 400 && records < 4; i++) {
            int count = consumer.poll(SOON).count();
            polls += count > 0 ? 1 : 0;
            records += count;
        }
        assertThat(records).isEqualTo(4);
        assertThat(polls).isEqualTo(4);
    }

    @Test
    @DisplayName("of records that are larger than the limits of a fetch one answer brings one, of one partition")
    void oneLargeRecordPerFetch() {
        cluster.createTopic(topic, 3);
        for (int i = 0; i < 3; i++) {
            cluster.append(List.of(record(i, null, "x".repeat(5_000))));
        }
        Consumer<byte[], byte[]> consumer =
                assigned(Map.of("max.partition.fetch.bytes", 1_000), partition(0), partition(1), partition(2));
        List<Integer> counts = new ArrayList<>();
        for (int i = 0; i < 400 && counts.size() < 3; i++) {
            ConsumerRecords<byte[], byte[]> records = consumer.poll(SOON);
            if (!records.isEmpty()) {
                counts.add(records.count());
            }
        }
        assertThat(counts).containsExactly(1, 1, 1);
    }

    @Test
    @DisplayName("wakeup ends the next poll with WakeupException, once, and no record is lost")
    void wakeup() {
        topicWith(1, 3);
        Consumer<byte[], byte[]> consumer = assigned(Map.of(), partition(0));
        consumer.wakeup();
        assertThatThrownBy(() -> consumer.poll(SOON)).isInstanceOf(WakeupException.class);
        assertThat(read(consumer, 3)).hasSize(3);
    }

    @Test
    @DisplayName("offsets by time, at the beginning and at the end")
    void lookUps() {
        cluster.createTopic(topic, 2);
        cluster.append(List.of(
                new ProducerRecord<>(topic, 0, 1_000L, null, bytes("a")),
                new ProducerRecord<>(topic, 0, 2_000L, null, bytes("b")),
                new ProducerRecord<>(topic, 0, 3_000L, null, bytes("c"))));
        cluster.deleteRecordsBefore(partition(0), 1);
        Consumer<byte[], byte[]> consumer = loose(Map.of());
        Set<TopicPartition> both = Set.of(partition(0), partition(1));
        assertThat(consumer.beginningOffsets(both)).isEqualTo(Map.of(partition(0), 1L, partition(1), 0L));
        assertThat(consumer.endOffsets(both)).isEqualTo(Map.of(partition(0), 3L, partition(1), 0L));
        Map<TopicPartition, OffsetAndTimestamp> found =
                consumer.offsetsForTimes(Map.of(partition(0), 2_500L, partition(1), 2_500L));
        assertThat(found.get(partition(0)).offset()).isEqualTo(2);
        assertThat(found.get(partition(0)).timestamp()).isEqualTo(3_000L);
        assertThat(found.get(partition(1))).isNull();
        assertThat(consumer.offsetsForTimes(Map.of(partition(0), 12_000L)).get(partition(0)))
                .isNull();
        assertThat(consumer.partitionsFor(topic)).hasSize(2);
        assertThat(consumer.listTopics()).containsKey(topic);
    }

    @Test
    @DisplayName("without group.id a consumer reads what it is assigned, and neither commits nor subscribes")
    void noGroup() {
        topicWith(1, 2);
        Consumer<byte[], byte[]> consumer = cluster.consumer(Map.of("auto.offset.reset", "earliest"));
        try (consumer) {
            consumer.assign(List.of(partition(0)));
            assertThat(read(consumer, 2)).hasSize(2);
            assertThatThrownBy(consumer::commitSync).isInstanceOf(InvalidGroupIdException.class);
            assertThatThrownBy(() -> consumer.committed(Set.of(partition(0))))
                    .isInstanceOf(InvalidGroupIdException.class);
            consumer.unsubscribe();
            assertThatThrownBy(() -> consumer.subscribe(List.of(topic))).isInstanceOf(InvalidGroupIdException.class);
        }
    }

    @Test
    @DisplayName("subscribe and assign exclude each other until unsubscribe")
    void exclusive() {
        cluster.createTopic(topic, 1);
        Consumer<byte[], byte[]> consumer = assigned(Map.of(), partition(0));
        assertThatThrownBy(() -> consumer.subscribe(List.of(topic))).isInstanceOf(IllegalStateException.class);
        consumer.unsubscribe();
        consumer.subscribe(List.of(topic));
        assertThatThrownBy(() -> consumer.assign(List.of(partition(0)))).isInstanceOf(IllegalStateException.class);
    }

    @Test
    @DisplayName(
            "compaction leaves gaps: offsets stay, the latest of a key stays, positions and seeks step over what is"
                    + " gone")
    void compaction() {
        cluster.createCompactedTopic(topic);
        List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            records.add(record(0, i == 3 ? "once" : "again", Integer.toString(i)));
        }
        cluster.append(records);
        cluster.compact(partition(0));
        Consumer<byte[], byte[]> consumer = assigned(Map.of(), partition(0));
        List<ConsumerRecord<byte[], byte[]>> left = read(consumer, 3);
        assertThat(left.subList(0, 2).stream().map(ConsumerRecord::offset)).containsExactly(3L, 5L);
        assertThat(left.get(2).offset()).isGreaterThanOrEqualTo(6);
        consumer.seek(partition(0), 1);
        assertThat(consumer.position(partition(0))).isEqualTo(1);
        assertThat(read(consumer, 3).getFirst().offset()).isEqualTo(3);
        assertThat(consumer.beginningOffsets(Set.of(partition(0)))).isEqualTo(Map.of(partition(0), 0L));
    }

    @Test
    @DisplayName("a call from a second thread fails, except wakeup")
    void secondThread() {
        topicWith(1, 0);
        Members.Member a = join("a", GroupKind.EAGER);
        List<Throwable> failures = new ArrayList<>();
        a.onAssigned = partitions -> {
            Thread other = Thread.ofPlatform().start(() -> {
                try {
                    a.consumer.assignment();
                } catch (ConcurrentModificationException e) {
                    failures.add(e);
                }
            });
            try {
                other.join();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        };
        members.pollUntil(() -> a.consumer.assignment().size() == 1);
        assertThat(failures).hasSize(1);
    }
}
