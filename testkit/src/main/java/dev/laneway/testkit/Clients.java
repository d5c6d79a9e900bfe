package dev.laneway.testkit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.function.IntSupplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InvalidReplicationFactorException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * Clients of a cluster for tests: one admin and one producer that it shares, and any number that the caller owns.
 * Thread-safe.
 */
final class Clients implements AutoCloseable {

    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(2);

    private final Map<String, Object> common;
    private @Nullable Admin admin;
    private @Nullable Producer<byte[], byte[]> producer;

    Clients(String bootstrapServers, Map<String, String> properties) {
        Map<String, Object> merged = new HashMap<>();
        merged.put("bootstrap.servers", bootstrapServers);
        // Finds a broker that comes back at once, not after a back-off that has grown to a second.
        merged.put("reconnect.backoff.ms", 20);
        merged.put("reconnect.backoff.max.ms", 200);
        merged.putAll(properties);
        this.common = Map.copyOf(merged);
    }

    synchronized Admin admin() {
        @Nullable Admin open = admin;
        if (open == null) {
            open = Admin.create(with(Map.of("default.api.timeout.ms", (int) Await.CALL_LIMIT.toMillis())));
            admin = open;
        }
        return open;
    }

    /**
     * Creates a topic. A running broker may be fenced for a moment, since its session ends if the machine is too busy.
     *
     * @param running how many brokers are running
     * @return why the topic cannot be created yet; empty when it is created
     */
    Optional<String> create(NewTopic request, IntSupplier running) {
        try {
            Await.get(
                    "creating topic " + request.name(),
                    admin().createTopics(List.of(request)).all());
            return Optional.empty();
        } catch (InvalidReplicationFactorException tooFew) {
            if (request.replicationFactor() > running.getAsInt()) {
                throw tooFew;
            }
            return Optional.of(tooFew.toString());
        }
    }

    Consumer<byte[], byte[]> consumer(Map<String, ?> overrides) {
        Map<String, Object> properties = with(Map.of("auto.offset.reset", "earliest", "enable.auto.commit", false));
        properties.putAll(overrides);
        return new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    Producer<byte[], byte[]> producer(Map<String, ?> overrides) {
        Map<String, Object> properties = with(overrides);
        return new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer());
    }

    List<RecordMetadata> produce(Iterable<ProducerRecord<byte[], byte[]>> records) {
        Producer<byte[], byte[]> shared = sharedProducer();
        List<Future<RecordMetadata>> sent = new ArrayList<>();
        records.forEach(record -> sent.add(shared.send(record)));
        shared.flush();
        List<RecordMetadata> acknowledged = new ArrayList<>(sent.size());
        sent.forEach(answer -> acknowledged.add(Await.get("sending a record", answer)));
        return acknowledged;
    }

    /** What a question about a topic that is not there is answered with. */
    static IllegalArgumentException unknown(String topic) {
        return new IllegalArgumentException("topic " + topic + " does not exist; create it first");
    }

    Map<TopicPartition, Long> endOffsets(String topic, int partitions) {
        Map<TopicPartition, OffsetSpec> request = new HashMap<>();
        for (int partition = 0; partition < partitions; partition++) {
            request.put(new TopicPartition(topic, partition), OffsetSpec.latest());
        }
        Map<TopicPartition, Long> ends = new HashMap<>();
        Await.get(
                        "reading end offsets of " + topic,
                        admin().listOffsets(request).all())
                .forEach((partition, answer) -> ends.put(partition, answer.offset()));
        return Map.copyOf(ends);
    }

    Map<TopicPartition, OffsetAndMetadata> committed(String group) {
        Map<TopicPartition, @Nullable OffsetAndMetadata> answer = Await.get(
                "reading offsets of group " + group,
                admin().listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata());
        Map<TopicPartition, OffsetAndMetadata> committed = new HashMap<>();
        answer.forEach((partition, offset) -> {
            if (offset != null) {
                committed.put(partition, offset);
            }
        });
        return Map.copyOf(committed);
    }

    private synchronized Producer<byte[], byte[]> sharedProducer() {
        @Nullable Producer<byte[], byte[]> open = producer;
        if (open == null) {
            // Each call ends with a flush. Till then its records wait for each other, so that a partition's come in one
            // batch, as far as they fit, however slowly this thread runs: a reader sees all of them or none.
            open = producer(Map.of(
                    "delivery.timeout.ms",
                    (int) Await.CALL_LIMIT.toMillis(),
                    "request.timeout.ms",
                    5_000,
                    "linger.ms",
                    10_000));
            producer = open;
        }
        return open;
    }

    private Map<String, Object> with(Map<String, ?> overrides) {
        Map<String, Object> properties = new HashMap<>(common);
        properties.putAll(overrides);
        return properties;
    }

    @Override
    public synchronized void close() {
        if (producer != null) {
            producer.close(CLOSE_LIMIT);
        }
        if (admin != null) {
            admin.close(CLOSE_LIMIT);
        }
    }
}
