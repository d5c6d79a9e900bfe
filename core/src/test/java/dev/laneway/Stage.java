package dev.laneway;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;

import dev.laneway.testkit.KafkaCluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.jspecify.annotations.Nullable;

/** A topic and a group of their own on a real broker, and what tests do with them. Thread-safe. */
final class Stage {
    /** Longer than anything takes that works. */
    static final Duration LIMIT = Duration.ofSeconds(40);

    private static final AtomicInteger NUMBER = new AtomicInteger();

    final KafkaCluster kafka;
    final String topic;
    final String group;

    private Stage(KafkaCluster kafka, String topic, String group) {
        this.kafka = kafka;
        this.topic = topic;
        this.group = group;
    }

    /** On the broker that all tests share. */
    static Stage of(int partitions) {
        return on(SharedKafka.get(), partitions);
    }

    static Stage on(KafkaCluster kafka, int partitions) {
        int number = NUMBER.incrementAndGet();
        Stage stage = new Stage(kafka, "topic-" + number, "group-" + number);
        kafka.createTopic(stage.topic, partitions);
        return stage;
    }

    /** The same topic with another group. */
    Stage withGroupOfItsOwn() {
        return new Stage(kafka, topic, "group-" + NUMBER.incrementAndGet());
    }

    TopicPartition partition(int number) {
        return new TopicPartition(topic, number);
    }

    /** Consumer properties, those given on top. */
    Map<String, Object> config(Map<String, ?> more) {
        Map<String, Object> config = new HashMap<>(Map.of(
                "bootstrap.servers",
                kafka.bootstrapServers(),
                "group.id",
                group,
                "auto.offset.reset",
                "earliest",
                "reconnect.backoff.max.ms",
                200));
        config.putAll(more);
        return config;
    }

    LanewayBuilder<String, String> consumer() {
        return consumer(Map.of());
    }

    LanewayBuilder<String, String> consumer(Map<String, ?> more) {
        return strings(Laneway.consumer(config(more)));
    }

    /** Text in and out, subscribed. The JVM of the tests ends without closing what a failed test has left. */
    LanewayBuilder<String, String> strings(LanewayBuilder<byte[], byte[]> builder) {
        return builder.deserializers(new StringDeserializer(), new StringDeserializer())
                .subscribe(topic)
                .closeOnShutdown(false);
    }

    /** Writes records 0, 1, 2... with their number as value; the key chooses the partition, null goes round. */
    void load(int records, IntFunction<@Nullable String> key) {
        load(0, records, key);
    }

    void load(int from, int records, IntFunction<@Nullable String> key) {
        List<ProducerRecord<byte[], byte[]>> batch = new ArrayList<>(records);
        for (int i = from; i < from + records; i++) {
            batch.add(new ProducerRecord<>(topic, bytes(key.apply(i)), bytes(Integer.toString(i))));
        }
        kafka.produce(batch);
    }

    /** As {@link #load}; values are as long as this, with zeros before the number. */
    void loadLarge(int records, int valueSize, IntFunction<@Nullable String> key) {
        List<ProducerRecord<byte[], byte[]>> batch = new ArrayList<>(records);
        for (int i = 0; i < records; i++) {
            batch.add(new ProducerRecord<>(topic, bytes(key.apply(i)), bytes(("%0" + valueSize + "d").formatted(i))));
        }
        kafka.produce(batch);
    }

    /** As {@link #load}, all into one partition. */
    void loadInto(int partition, int records, IntFunction<@Nullable String> key) {
        List<ProducerRecord<byte[], byte[]>> batch = new ArrayList<>(records);
        for (int i = 0; i < records; i++) {
            batch.add(new ProducerRecord<>(topic, partition, bytes(key.apply(i)), bytes(Integer.toString(i))));
        }
        kafka.produce(batch);
    }

    static byte @Nullable [] bytes(@Nullable String text) {
        return text == null ? null : text.getBytes(UTF_8);
    }

    static @Nullable String text(byte @Nullable [] bytes) {
        return bytes == null ? null : new String(bytes, UTF_8);
    }

    /** What the group has committed for a partition; -1 when nothing. */
    long committed(int partition) {
        OffsetAndMetadata offset = kafka.committed(group).get(partition(partition));
        return offset == null ? -1 : offset.offset();
    }

    /** The map that stands beside the committed offset; empty when there is none. */
    String metadata(int partition) {
        OffsetAndMetadata offset = kafka.committed(group).get(partition(partition));
        return offset == null ? "" : offset.metadata();
    }

    /** Commits for the group while it has no members. */
    void commit(int partition, long offset, String metadata) {
        try (Consumer<byte[], byte[]> consumer = kafka.consumer(group)) {
            consumer.commitSync(Map.of(partition(partition), new OffsetAndMetadata(offset, metadata)));
        }
    }

    /** Whether every partition that has records is committed up to its end. */
    boolean isCommittedToEnd() {
        return kafka.isCommittedToEnd(group, topic);
    }

    /** All records of a topic of one's own choice, read with a plain consumer. */
    List<ConsumerRecord<byte[], byte[]>> read(String from, int records) {
        List<ConsumerRecord<byte[], byte[]>> all = new ArrayList<>();
        try (Consumer<byte[], byte[]> consumer = kafka.consumer("reader-of-" + from)) {
            consumer.subscribe(List.of(from));
            await().atMost(LIMIT).until(() -> {
                consumer.poll(Duration.ofMillis(50)).forEach(all::add);
                return all.size() >= records;
            });
        }
        return all;
    }

    /** All values of a topic that readers of committed records see. */
    static List<String> readCommitted(KafkaCluster kafka, String from) {
        long ends = kafka.endOffsets(from).values().stream()
                .mapToLong(Long::longValue)
                .sum();
        List<String> all = new ArrayList<>();
        try (Consumer<byte[], byte[]> reader =
                kafka.consumer(Map.of("group.id", "reader-of-" + from, "isolation.level", "read_committed"))) {
            reader.subscribe(List.of(from));
            await().atMost(LIMIT).until(() -> {
                reader.poll(Duration.ofMillis(50)).forEach(record -> all.add(String.valueOf(text(record.value()))));
                return !reader.assignment().isEmpty()
                        && reader.assignment().stream()
                                        .mapToLong(reader::position)
                                        .sum()
                                >= ends;
            });
        }
        return all;
    }

    /** What a handler that waits does; ends early by an exception when it is interrupted. */
    static void work(Duration time) throws InterruptedException {
        boolean released = new CountDownLatch(1).await(time.toNanos(), TimeUnit.NANOSECONDS);
        assert !released;
    }

    static Duration millis(long millis) {
        return Duration.ofMillis(millis);
    }
}
