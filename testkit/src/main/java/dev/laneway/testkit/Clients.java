package dev.laneway.testkit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.InvalidReplicationFactorException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * Clients of an embedded cluster: one admin and one producer that it shares, and any number that the caller owns.
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
     * @return why the topic cannot be created yet; empty when it is created
     */
    Optional<String> create(NewTopic request, List<BrokerNode> brokers) {
        try {
            Await.get(
                    "creating topic " + request.name(),
                    admin().createTopics(List.of(request)).all());
            return Optional.empty();
        } catch (InvalidReplicationFactorException tooFew) {
            long running = brokers.stream().filter(BrokerNode::isRunning).count();
            if (request.replicationFactor() > running) {
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

    private synchronized Producer<byte[], byte[]> sharedProducer() {
        @Nullable Producer<byte[], byte[]> open = producer;
        if (open == null) {
            open = producer(
                    Map.of("delivery.timeout.ms", (int) Await.CALL_LIMIT.toMillis(), "request.timeout.ms", 5_000));
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
