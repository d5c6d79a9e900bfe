package dev.laneway.testkit;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * A cluster that runs elsewhere, in processes that the test does not own: brokers of another version, for one. It needs
 * kafka-clients on the class path and nothing of the server.
 *
 * <p>Thread-safe. Calls that talk to a broker wait at most 30 s, then throw IllegalStateException; a refusal by the
 * broker is thrown as the Kafka exception that the client got.
 */
public final class ExternalKafka implements KafkaCluster, AutoCloseable {

    private final String bootstrapServers;
    private final Clients clients;

    private ExternalKafka(String bootstrapServers, Map<String, String> clientProperties) {
        this.bootstrapServers = bootstrapServers;
        this.clients = new Clients(bootstrapServers, clientProperties);
    }

    /** The cluster at these addresses, which let everybody in. */
    public static ExternalKafka at(String bootstrapServers) {
        return at(bootstrapServers, Map.of());
    }

    /**
     * The cluster at these addresses.
     *
     * @param clientProperties what its clients connect with, {@code security.protocol} for one
     */
    public static ExternalKafka at(String bootstrapServers, Map<String, String> clientProperties) {
        return new ExternalKafka(bootstrapServers, clientProperties);
    }

    @Override
    public String bootstrapServers() {
        return bootstrapServers;
    }

    @Override
    public void createTopic(String topic, int partitions) {
        createTopic(topic, partitions, brokers(), Map.of());
    }

    @Override
    public void createTopic(String topic, int partitions, int replication, Map<String, String> config) {
        NewTopic request = new NewTopic(topic, partitions, (short) replication).configs(config);
        String action = "creating topic " + topic;
        Await.until(action, Await.CALL_LIMIT, () -> clients.create(request, this::brokers));
        Await.until(action, Await.CALL_LIMIT, () -> missing(topic, partitions));
        // Only a leader that has opened its log answers this.
        var _ = clients.endOffsets(topic, partitions);
    }

    private int brokers() {
        return Await.get("counting brokers", admin().describeCluster().nodes()).size();
    }

    private Optional<String> missing(String topic, int partitions) {
        int led = (int) describe(topic).stream()
                .flatMap(description -> description.partitions().stream())
                .filter(partition ->
                        partition.leader() != null && !partition.leader().isEmpty())
                .count();
        return led < partitions
                ? Optional.of("the brokers know leaders for " + led + " of " + partitions + " partitions")
                : Optional.empty();
    }

    private Optional<TopicDescription> describe(String topic) {
        try {
            Map<String, TopicDescription> found = Await.get(
                    "describing topic " + topic,
                    admin().describeTopics(List.of(topic)).allTopicNames());
            return Optional.ofNullable(found.get(topic));
        } catch (UnknownTopicOrPartitionException notYet) {
            return Optional.empty();
        }
    }

    @Override
    public Admin admin() {
        return clients.admin();
    }

    @Override
    public Consumer<byte[], byte[]> consumer(Map<String, ?> overrides) {
        return clients.consumer(overrides);
    }

    @Override
    public Producer<byte[], byte[]> producer(Map<String, ?> overrides) {
        return clients.producer(overrides);
    }

    @Override
    public List<RecordMetadata> produce(Iterable<ProducerRecord<byte[], byte[]>> records) {
        return clients.produce(records);
    }

    @Override
    public Map<TopicPartition, Long> endOffsets(String topic) {
        TopicDescription description = describe(topic).orElseThrow(() -> Clients.unknown(topic));
        return clients.endOffsets(topic, description.partitions().size());
    }

    @Override
    public Map<TopicPartition, OffsetAndMetadata> committed(String group) {
        return clients.committed(group);
    }

    /** Closes the clients that the caller does not own. The cluster stays. */
    @Override
    public void close() {
        clients.close();
    }
}
