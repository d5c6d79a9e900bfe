package dev.laneway.assign;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.laneway.testkit.EmbeddedKafka;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.state.Stores;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kafka Streams with the assignor, on a real broker. */
class LoadTaskAssignorLiveTest {
    private static final EmbeddedKafka KAFKA = EmbeddedKafka.shared();
    private static final Duration LIMIT = Duration.ofSeconds(90);
    private static final int PARTITIONS = 6;
    private static final int HOT = 2;

    private final String topic = "counted-" + UUID.randomUUID();
    private final Map<String, Long> counts = new ConcurrentHashMap<>();
    private final List<KafkaStreams> all = new ArrayList<>();

    @TempDir
    Path directory;

    private KafkaStreams start(int number) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream(topic, Consumed.with(Serdes.String(), Serdes.ByteArray()))
                .groupByKey(Grouped.with(Serdes.String(), Serdes.ByteArray()))
                .count(Materialized.<String, Long>as(Stores.inMemoryKeyValueStore("counts"))
                        .withKeySerde(Serdes.String())
                        .withValueSerde(Serdes.Long()))
                .toStream()
                .foreach((key, count) -> counts.merge(key, count, Math::max));
        Properties of = new Properties();
        of.put(StreamsConfig.APPLICATION_ID_CONFIG, topic);
        of.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, KAFKA.bootstrapServers());
        of.put(StreamsConfig.STATE_DIR_CONFIG, directory.resolve("" + number).toString());
        of.put(StreamsConfig.TASK_ASSIGNOR_CLASS_CONFIG, LoadTaskAssignor.class.getName());
        of.put(StreamsConfig.ACCEPTABLE_RECOVERY_LAG_CONFIG, 1_000_000L); // All states are near enough.
        of.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, 100);
        of.put(AssignorSettings.WINDOW, "600000");
        KafkaStreams streams = new KafkaStreams(builder.build(), of);
        all.add(streams);
        streams.start();
        return streams;
    }

    @AfterEach
    void close() {
        all.forEach(streams -> streams.close(Duration.ofSeconds(10)));
    }

    /** The partitions of an instance. */
    private static List<Integer> partitions(KafkaStreams streams) {
        return streams.metadataForLocalThreads().stream()
                .flatMap(thread -> thread.activeTasks().stream())
                .flatMap(task -> task.topicPartitions().stream())
                .map(TopicPartition::partition)
                .sorted()
                .toList();
    }

    private void produce(int records) {
        List<ProducerRecord<byte[], byte[]>> batch = new ArrayList<>();
        for (int partition = 0; partition < PARTITIONS; partition++) {
            for (int record = 0; record < (partition == HOT ? 10 * records : records); record++) {
                byte[] key = ("key-" + partition).getBytes(StandardCharsets.UTF_8);
                batch.add(new ProducerRecord<>(topic, partition, key, new byte[8]));
            }
        }
        KAFKA.produce(batch);
    }

    @Test
    @DisplayName(
            "B208 Kafka Streams gives the task of a hot partition an instance for itself, and counts each record once")
    void counts() {
        KAFKA.createTopic(topic, PARTITIONS);
        produce(100);
        KafkaStreams first = start(1);
        await().atMost(LIMIT).untilAsserted(() -> assertThat(partitions(first)).hasSize(PARTITIONS));
        KafkaStreams second = start(2);
        await().atMost(LIMIT).untilAsserted(() -> {
            assertThat(List.of(partitions(first).size(), partitions(second).size()))
                    .containsExactlyInAnyOrder(1, PARTITIONS - 1);
            assertThat(partitions(first).size() == 1 ? partitions(first) : partitions(second))
                    .containsExactly(HOT);
        });
        produce(50);
        Map<String, Long> wanted = new TreeMap<>();
        for (int partition = 0; partition < PARTITIONS; partition++) {
            wanted.put("key-" + partition, partition == HOT ? 1_500L : 150L);
        }
        await().atMost(LIMIT).untilAsserted(() -> assertThat(counts).isEqualTo(wanted));
    }
}
