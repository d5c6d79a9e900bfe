package dev.laneway.testkit;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;

/** A real broker as the contract sees it. */
record EmbeddedContractCluster(EmbeddedKafka kafka) implements ContractCluster {

    @Override
    public void createTopic(String topic, int partitions) {
        kafka.createTopic(topic, partitions);
    }

    @Override
    public void addPartitions(String topic, int total) {
        get(kafka.admin()
                .createPartitions(Map.of(topic, NewPartitions.increaseTo(total)))
                .all());
    }

    @Override
    public void deleteTopic(String topic) {
        get(kafka.admin().deleteTopics(List.of(topic)).all());
        await().atMost(Duration.ofSeconds(30))
                .until(() -> !kafka.admin().listTopics().names().get().contains(topic));
    }

    @Override
    public Consumer<byte[], byte[]> consumer(Map<String, ?> properties) {
        return kafka.consumer(properties);
    }

    @Override
    public Producer<byte[], byte[]> producer(Map<String, ?> properties) {
        return kafka.producer(properties);
    }

    @Override
    public void append(List<ProducerRecord<byte[], byte[]>> records) {
        kafka.produce(records);
    }

    @Override
    public void deleteRecordsBefore(TopicPartition partition, long offset) {
        get(kafka.admin()
                .deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(offset)))
                .all());
    }

    @Override
    public void createCompactedTopic(String topic) {
        kafka.createTopic(
                topic,
                1,
                1,
                Map.of("cleanup.policy", "compact", "segment.ms", "100", "min.cleanable.dirty.ratio", "0.01"));
    }

    /** A broker compacts closed segments only, and closes one when it writes to it: hence the filler. */
    @Override
    public void compact(TopicPartition partition) {
        long end = kafka.endOffsets(partition.topic()).get(partition);
        try (Consumer<byte[], byte[]> reader = kafka.consumer(Map.of("auto.offset.reset", "earliest"))) {
            reader.assign(List.of(partition));
            await().atMost(Duration.ofSeconds(30))
                    .pollInterval(Duration.ofMillis(200))
                    .until(() -> {
                        kafka.produce(partition.topic(), "filler", "");
                        return countBefore(reader, partition, end) < end;
                    });
        }
    }

    private static int countBefore(Consumer<byte[], byte[]> reader, TopicPartition partition, long end) {
        reader.seekToBeginning(List.of(partition));
        int count = 0;
        while (reader.position(partition) < end) {
            for (ConsumerRecord<byte[], byte[]> record : reader.poll(Duration.ofMillis(50))) {
                count += record.offset() < end ? 1 : 0;
            }
        }
        return count;
    }

    @Override
    public Map<TopicPartition, OffsetAndMetadata> committed(String group) {
        return kafka.committed(group);
    }

    /** Nothing is waited for here: the point is that nothing happens in this time. */
    @Override
    public void pass(Duration time) {
        LockSupport.parkNanos(time.toNanos());
    }

    private static void get(org.apache.kafka.common.KafkaFuture<?> future) {
        try {
            future.get();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
