package dev.laneway;

import static dev.laneway.Stage.LIMIT;
import static dev.laneway.Stage.millis;
import static org.awaitility.Awaitility.await;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.ListShareGroupOffsetsSpec;
import org.apache.kafka.clients.admin.SharePartitionOffsetInfo;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.clients.consumer.ShareConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** A topic and a share group of their own on a real broker, and what its members have handled. Thread-safe. */
final class ShareStage {
    final Stage stage;
    /** How often a handler has had each value. */
    final Map<String, AtomicInteger> handled = new ConcurrentHashMap<>();

    /** The group starts at the beginning of the topic. */
    ShareStage(int partitions) {
        this.stage = Stage.of(partitions);
        group("share.auto.offset.reset", "earliest");
    }

    /** Sets one of the group's settings, which the broker keeps for all members. */
    void group(String name, String value) {
        try {
            stage.kafka
                    .admin()
                    .incrementalAlterConfigs(Map.of(
                            new ConfigResource(ConfigResource.Type.GROUP, stage.group),
                            List.of(new AlterConfigOp(new ConfigEntry(name, value), AlterConfigOp.OpType.SET))))
                    .all()
                    .get();
        } catch (ExecutionException | InterruptedException failure) {
            throw new IllegalStateException(failure);
        }
    }

    Map<String, Object> config(Map<String, ?> more) {
        Map<String, Object> config = new HashMap<>(stage.config(more));
        config.remove("auto.offset.reset");
        return config;
    }

    LanewayBuilder<String, String> member() {
        return member(Map.of());
    }

    LanewayBuilder<String, String> member(Map<String, ?> more) {
        return stage.strings(Laneway.shareConsumer(config(more))).commit(CommitMode.async(millis(50)));
    }

    void note(ConsumerRecord<String, String> record) {
        handled.computeIfAbsent(record.value(), value -> new AtomicInteger()).incrementAndGet();
    }

    int times(String value) {
        AtomicInteger times = handled.get(value);
        return times == null ? 0 : times.get();
    }

    /** Whether the group has nothing left to deliver, and nothing locked. */
    boolean isAllAcknowledged() {
        try {
            Map<TopicPartition, SharePartitionOffsetInfo> starts = stage.kafka
                    .admin()
                    .listShareGroupOffsets(Map.of(stage.group, new ListShareGroupOffsetsSpec()))
                    .partitionsToOffsetInfo(stage.group)
                    .get();
            return stage.kafka.endOffsets(stage.topic).entrySet().stream()
                    .filter(end -> end.getValue() > 0)
                    .allMatch(end -> starts.get(end.getKey()) != null
                            && starts.get(end.getKey()).lag().orElse(-1L) == 0);
        } catch (ExecutionException | InterruptedException failure) {
            throw new IllegalStateException(failure);
        }
    }

    /**
     * Writes records 0, 1, 2... at once, into partition 0, and has them delivered this often, and given back, by a
     * plain client. They are one batch, else the broker would not deliver them together.
     */
    void loadDelivered(int records, int times) {
        Map<String, Object> oneBatch = Map.of("bootstrap.servers", stage.kafka.bootstrapServers(), "linger.ms", 5_000);
        try (Producer<byte[], byte[]> producer =
                new KafkaProducer<>(oneBatch, new ByteArraySerializer(), new ByteArraySerializer())) {
            for (int i = 0; i < records; i++) {
                var _ = producer.send(new ProducerRecord<>(stage.topic, 0, null, Stage.bytes(Integer.toString(i))));
            }
        }
        Map<String, Object> raw = config(Map.of("share.acknowledgement.mode", "explicit"));
        try (ShareConsumer<byte[], byte[]> client =
                new KafkaShareConsumer<>(raw, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            client.subscribe(List.of(stage.topic));
            List<Integer> counts = new ArrayList<>();
            await().atMost(LIMIT).until(() -> {
                for (ConsumerRecord<byte[], byte[]> record : client.poll(millis(100))) {
                    counts.add((int) record.deliveryCount().orElseThrow());
                    client.acknowledge(record, AcknowledgeType.RELEASE);
                }
                client.commitSync();
                return counts.stream().filter(count -> count == times).count() >= records;
            });
        }
    }
}
