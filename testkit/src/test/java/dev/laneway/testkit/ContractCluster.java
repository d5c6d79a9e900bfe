package dev.laneway.testkit;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;

/** What the contract needs of a cluster, real or simulated. */
public interface ContractCluster {
    void createTopic(String topic, int partitions);

    void addPartitions(String topic, int total);

    /** When it returns the cluster does not know the topic any more. */
    void deleteTopic(String topic);

    Consumer<byte[], byte[]> consumer(Map<String, ?> properties);

    Producer<byte[], byte[]> producer(Map<String, ?> properties);

    void append(List<ProducerRecord<byte[], byte[]>> records);

    void deleteRecordsBefore(TopicPartition partition, long offset);

    /** Compacts what is in a topic of {@link #createCompactedTopic}, and adds records with the key "filler" to it. */
    void compact(TopicPartition partition);

    void createCompactedTopic(String topic);

    Map<TopicPartition, OffsetAndMetadata> committed(String group);

    /** Time passes, and nobody polls. */
    void pass(Duration time);
}
