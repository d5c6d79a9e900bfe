package dev.laneway.assign;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;

import dev.laneway.testkit.EmbeddedKafka;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What a real broker tells of its partitions. */
class LoadReaderTest {
    private static final EmbeddedKafka KAFKA = EmbeddedKafka.shared();

    private final String topic = "reader-" + UUID.randomUUID();

    private TopicPartition partition(int number) {
        return new TopicPartition(topic, number);
    }

    private void produce(int partition, int records, long timestamp) {
        List<ProducerRecord<byte[], byte[]>> all = new ArrayList<>();
        for (int record = 0; record < records; record++) {
            all.add(new ProducerRecord<>(topic, partition, timestamp, null, new byte[4]));
        }
        KAFKA.produce(all);
    }

    @Test
    @DisplayName("B206 A load is the rate of the window by timestamps, and the lag over the time to catch up")
    void reads() throws Exception {
        KAFKA.createTopic(topic, 4);
        long now = System.currentTimeMillis();
        produce(0, 600, now);
        produce(1, 600, now - 3_600_000); // An hour ago: a lag, but no rate.
        produce(2, 300, now);
        try (Admin admin = Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, KAFKA.bootstrapServers()))) {
            admin.alterConsumerGroupOffsets(topic, Map.of(partition(2), new OffsetAndMetadata(300)))
                    .all()
                    .get();
            LoadReader reader = new LoadReader(admin, AssignorSettings.of(Map.of()));
            List<TopicPartition> all = List.of(partition(0), partition(1), partition(2), partition(3));
            Map<TopicPartition, Double> loads = reader.read(topic, all, true, System.currentTimeMillis());
            assertThat(loads.get(partition(0))).isEqualTo(600 / 300.0 + 600 / 600.0, offset(1e-9));
            assertThat(loads.get(partition(1))).isEqualTo(600 / 600.0, offset(1e-9));
            assertThat(loads.get(partition(2))).isEqualTo(300 / 300.0, offset(1e-9));
            assertThat(loads.get(partition(3))).isZero();
            assertThat(reader.read(topic, all, false, System.currentTimeMillis())
                            .get(partition(1)))
                    .as("a group that begins at the end")
                    .isZero();
        }
    }

    @Test
    @DisplayName("B206 A partition that does not exist is left out, and keeps the others from nothing")
    void missing() throws Exception {
        KAFKA.createTopic(topic, 1);
        produce(0, 300, System.currentTimeMillis());
        try (Admin admin = Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, KAFKA.bootstrapServers()))) {
            LoadReader reader = new LoadReader(admin, AssignorSettings.of(Map.of("laneway.assignor.limit.ms", 2000)));
            assertThat(reader.read(topic, List.of(partition(0), partition(7)), true, System.currentTimeMillis()))
                    .containsOnlyKeys(partition(0));
        }
    }

    @Test
    @DisplayName(
            "B207 Brokers that do not answer hold up a rebalance no longer than the limit, and partitions count alike")
    void silence() throws Exception {
        try (ServerSocket silent = new ServerSocket(0)) {
            Loads loads = new Loads(
                    Map.of("bootstrap.servers", "localhost:" + silent.getLocalPort()),
                    topic,
                    true,
                    AssignorSettings.of(Map.of("laneway.assignor.limit.ms", 500)));
            long begun = System.nanoTime();
            assertThat(loads.of(List.of(partition(0), partition(1))))
                    .isEqualTo(Map.of(partition(0), 1.0, partition(1), 1.0));
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(5));
        }
    }
}
