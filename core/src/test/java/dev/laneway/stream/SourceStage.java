package dev.laneway.stream;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.laneway.SharedKafka;
import dev.laneway.testkit.KafkaCluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;

/** A topic and a group of their own on the shared broker, and what tests of sources do with them. */
public final class SourceStage {
    /** Longer than anything takes that works. */
    static final Duration LIMIT = Duration.ofSeconds(40);

    private static final AtomicInteger NUMBER = new AtomicInteger();

    final KafkaCluster kafka = SharedKafka.get();
    final String topic;
    final String group;

    SourceStage(int partitions) {
        int number = NUMBER.incrementAndGet();
        topic = "source-" + number;
        group = "source-group-" + number;
        kafka.createTopic(topic, partitions);
    }

    ConsumerSettings<String, String> settings() {
        return settings(Map.of());
    }

    ConsumerSettings<String, String> settings(Map<String, ?> more) {
        Map<String, Object> config = new HashMap<>(Map.of(
                "bootstrap.servers",
                kafka.bootstrapServers(),
                "group.id",
                group,
                "auto.offset.reset",
                "earliest",
                // Members learn of rebalances by heartbeats.
                "heartbeat.interval.ms",
                200));
        config.putAll(more);
        return ConsumerSettings.of(config, new StringDeserializer(), new StringDeserializer())
                .withCloseOnShutdown(false);
    }

    Subscription all() {
        return Subscription.topics(topic);
    }

    TopicPartition partition(int number) {
        return new TopicPartition(topic, number);
    }

    /** Writes values from..to-1 into one partition. */
    void load(int partition, int from, int to) {
        List<ProducerRecord<byte[], byte[]>> batch = new ArrayList<>(to - from);
        for (int i = from; i < to; i++) {
            byte[] text = Integer.toString(i).getBytes(UTF_8);
            batch.add(new ProducerRecord<>(topic, partition, text, text));
        }
        kafka.produce(batch);
    }

    /** What the group has committed for a partition; -1 when nothing. */
    long committed(int partition) {
        OffsetAndMetadata offset = kafka.committed(group).get(partition(partition));
        return offset == null ? -1 : offset.offset();
    }

    /** Whether the group has committed the end of each partition that has records. */
    boolean isCommittedToEnd() {
        return kafka.isCommittedToEnd(group, topic);
    }

    String metadata(int partition) {
        OffsetAndMetadata offset = kafka.committed(group).get(partition(partition));
        return offset == null ? "" : offset.metadata();
    }

    static List<Integer> values(List<ConsumerRecord<String, String>> records) {
        return records.stream().map(record -> Integer.valueOf(record.value())).toList();
    }

    /** Waits for the end, and throws what it failed with. */
    public static void join(CompletionStage<?> stage) throws Exception {
        var _ = stage.toCompletableFuture().get(LIMIT.toSeconds(), TimeUnit.SECONDS);
    }
}
