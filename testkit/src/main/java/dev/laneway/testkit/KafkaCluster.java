package dev.laneway.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * A Kafka cluster as its clients see it: what a test needs that neither stops nor configures brokers. Such a test runs
 * on an {@link EmbeddedKafka}, and on brokers of another version through an {@link ExternalKafka}. Thread-safe.
 */
public interface KafkaCluster {

    /** Addresses of all brokers, running or not, for {@code bootstrap.servers}. They never change. */
    String bootstrapServers();

    /** Creates a topic with a replica on each node, and waits until it can be written. */
    void createTopic(String topic, int partitions);

    /**
     * Creates a topic, and waits until it can be written.
     *
     * @param config topic settings such as {@code cleanup.policy}
     * @throws org.apache.kafka.common.errors.TopicExistsException when there is one of that name
     */
    void createTopic(String topic, int partitions, int replication, Map<String, String> config);

    /** An admin client of the cluster; the cluster closes it. */
    Admin admin();

    /** A new consumer that starts at the earliest offset and does not commit by itself; the caller closes it. */
    default Consumer<byte[], byte[]> consumer(String group) {
        return consumer(Map.of("group.id", group));
    }

    /**
     * A new consumer that starts at the earliest offset and does not commit by itself; the caller closes it.
     *
     * @param overrides consumer properties such as {@code group.id}; they win over what the cluster sets
     */
    Consumer<byte[], byte[]> consumer(Map<String, ?> overrides);

    /**
     * A new producer; the caller closes it.
     *
     * @param overrides producer properties such as {@code transactional.id}; they win over what the cluster sets
     */
    Producer<byte[], byte[]> producer(Map<String, ?> overrides);

    /** Writes one record in UTF-8, its partition chosen by its key, and waits for all in-sync replicas. */
    default RecordMetadata produce(String topic, @Nullable String key, @Nullable String value) {
        byte @Nullable [] keyBytes = key == null ? null : key.getBytes(UTF_8);
        byte @Nullable [] valueBytes = value == null ? null : value.getBytes(UTF_8);
        return produce(List.of(new ProducerRecord<>(topic, keyBytes, valueBytes)))
                .getFirst();
    }

    /** Writes records and waits for all in-sync replicas. The answers are in the order of the records. */
    List<RecordMetadata> produce(Iterable<ProducerRecord<byte[], byte[]>> records);

    /**
     * End offset of each partition: the offset that the next record would get, aborted and control records counted.
     *
     * @throws IllegalArgumentException when there is no such topic
     */
    Map<TopicPartition, Long> endOffsets(String topic);

    /** What a group has committed, offset and metadata by partition; partitions without a commit are missing. */
    Map<TopicPartition, OffsetAndMetadata> committed(String group);

    /** Whether a group has committed the end of each partition of a topic, but for those that never had a record. */
    default boolean isCommittedToEnd(String group, String topic) {
        Map<TopicPartition, OffsetAndMetadata> committed = committed(group);
        return endOffsets(topic).entrySet().stream()
                .allMatch(end -> end.getValue() == 0
                        || (committed.containsKey(end.getKey())
                                && committed.get(end.getKey()).offset() == end.getValue()));
    }
}
