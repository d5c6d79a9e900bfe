package dev.laneway.stream;

import static dev.laneway.stream.SourceStage.LIMIT;
import static dev.laneway.stream.SourceStage.join;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
@DisplayName("Many partitions and few bytes, on a real broker")
class ManyPartitionsTest {
    private static final int PARTITIONS = 300;
    private static final int EACH = 12;
    private static final int VALUE = 10_000;
    /** All records are four times as much. */
    private static final long BUFFER = 8L << 20;

    private final SourceStage stage = new SourceStage(PARTITIONS);
    private final AtomicIntegerArray delivered = new AtomicIntegerArray(PARTITIONS);

    /** Notes up to where each partition has been polled. */
    private final class Metered extends KafkaConsumer<byte[], byte[]> {
        private final Map<TopicPartition, Long> positions = new ConcurrentHashMap<>();
        private volatile long mostBytes;

        Metered(Map<String, Object> config) {
            super(config, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        }

        @Override
        public ConsumerRecords<byte[], byte[]> poll(Duration limit) {
            ConsumerRecords<byte[], byte[]> records = super.poll(limit);
            records.nextOffsets().forEach((id, next) -> positions.put(id, next.offset()));
            mostBytes = Math.max(mostBytes, heldBytes());
            return records;
        }

        @Override
        public void seek(TopicPartition id, long offset) {
            positions.put(id, offset);
            super.seek(id, offset);
        }

        long heldBytes() {
            long records = 0;
            for (var position : positions.entrySet()) {
                records += position.getValue() - delivered.get(position.getKey().partition());
            }
            return records * VALUE;
        }
    }

    @Test
    @DisplayName(
            "B121 B31 300 partitions of 10 KB records stay within the bytes that may be held; whoever asks is served")
    void bytes() throws Exception {
        byte[] value = new byte[VALUE];
        for (int partition = 0; partition < PARTITIONS; partition++) {
            List<ProducerRecord<byte[], byte[]>> batch = new ArrayList<>();
            for (int i = 0; i < EACH; i++) {
                batch.add(new ProducerRecord<>(stage.topic, partition, null, value));
            }
            stage.kafka.produce(batch);
        }
        Metered[] made = new Metered[1];
        ConsumerSettings<String, String> plain = stage.settings(Map.of("enable.auto.commit", "false"));
        ConsumerSettings<String, String> settings = plain.withBufferBytes(BUFFER)
                .withProperty("fetch.max.bytes", (int) (BUFFER / 16))
                .withProperty("max.poll.records", 1_000)
                .withClients(() -> made[0] = new Metered(Map.of(
                        "bootstrap.servers",
                        stage.kafka.bootstrapServers(),
                        "group.id",
                        stage.group,
                        "enable.auto.commit",
                        "false",
                        "auto.offset.reset",
                        "earliest",
                        "fetch.max.bytes",
                        (int) (BUFFER / 16),
                        "fetch.max.wait.ms",
                        100, // As in the clients that a source makes.
                        "max.poll.records",
                        1_000)));
        Map<Integer, Probe<ConsumerRecord<String, String>>> probes = new ConcurrentHashMap<>();
        Control control = KafkaSource.partitioned(settings, stage.all()).to(new Probe<>(Long.MAX_VALUE, stream -> {
            int number = stream.partition().partition();
            Probe<ConsumerRecord<String, String>> probe = new Probe<>(0, record -> delivered.incrementAndGet(number));
            stream.source().subscribe(probe);
            probes.put(number, probe);
        }));
        await().atMost(LIMIT).until(() -> probes.size() == PARTITIONS);
        Metered consumer = made[0];
        await().atMost(LIMIT).until(() -> consumer.mostBytes >= BUFFER / 2);
        await("nobody asks").during(Duration.ofSeconds(2)).atMost(LIMIT).until(() -> consumer.mostBytes <= BUFFER);

        // Some ask, most of which nothing is held of; the others still hold what they have.
        int[] some = IntStream.iterate(0, i -> i < PARTITIONS, i -> i + 30).toArray();
        for (int number : some) {
            probes.get(number).request(Long.MAX_VALUE);
        }
        await().atMost(LIMIT).until(() -> IntStream.of(some).allMatch(number -> delivered.get(number) == EACH));
        assertThat(consumer.mostBytes).as("some ask").isLessThanOrEqualTo(BUFFER);

        probes.values().forEach(probe -> probe.request(Long.MAX_VALUE / 2));
        await().atMost(Duration.ofMinutes(2))
                .until(() -> IntStream.range(0, PARTITIONS).allMatch(number -> delivered.get(number) == EACH));
        assertThat(consumer.mostBytes).as("all ask").isLessThanOrEqualTo(BUFFER);
        control.stop();
        join(control.completion());
    }
}
