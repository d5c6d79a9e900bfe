package dev.laneway.testkit.sim;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.laneway.testkit.ContractCluster;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;

/** The simulation as the contract sees it, with a little latency, because a real cluster has some. */
final class SimContractCluster implements ContractCluster {
    private final Simulation sim = Simulation.seeded(42);

    SimContractCluster() {
        sim.broker().consumerGroupTimes(Duration.ofSeconds(45), Duration.ofMillis(500));
        sim.faults().latency(Duration.ofNanos(100_000), Duration.ofMillis(2));
    }

    @Override
    public void createTopic(String topic, int partitions) {
        sim.broker().createTopic(topic, partitions);
    }

    @Override
    public void addPartitions(String topic, int total) {
        sim.broker().addPartitions(topic, total);
    }

    @Override
    public void deleteTopic(String topic) {
        sim.broker().deleteTopic(topic);
    }

    @Override
    public Consumer<byte[], byte[]> consumer(Map<String, ?> properties) {
        SimConsumer consumer = sim.broker().consumer(properties);
        consumer.waitInPoll();
        return consumer;
    }

    @Override
    public Producer<byte[], byte[]> producer(Map<String, ?> properties) {
        return sim.broker().producer(properties);
    }

    @Override
    public void append(List<ProducerRecord<byte[], byte[]>> records) {
        for (ProducerRecord<byte[], byte[]> record : records) {
            long time = record.timestamp() == null ? sim.clock().millis() : record.timestamp();
            sim.broker()
                    .append(record.topic(), record.partition(), time, record.key(), record.value(), record.headers());
        }
    }

    @Override
    public void deleteRecordsBefore(TopicPartition partition, long offset) {
        sim.broker().deleteRecordsBefore(partition, offset);
    }

    @Override
    public void createCompactedTopic(String topic) {
        sim.broker().createTopic(topic, 1);
    }

    @Override
    public void compact(TopicPartition partition) {
        sim.broker().append(partition.topic(), partition.partition(), "filler".getBytes(UTF_8), new byte[0]);
        sim.broker().compact(partition);
    }

    @Override
    public Map<TopicPartition, OffsetAndMetadata> committed(String group) {
        return sim.broker().committed(group);
    }

    @Override
    public void pass(Duration time) {
        sim.pass(time);
    }
}
