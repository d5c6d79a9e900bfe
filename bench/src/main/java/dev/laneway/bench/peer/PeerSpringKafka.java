package dev.laneway.bench.peer;

import dev.laneway.bench.measure.Acknowledged;
import dev.laneway.bench.measure.Order;
import dev.laneway.bench.measure.SendTask;
import dev.laneway.bench.measure.Task;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.listener.BatchMessageListener;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.ContainerProperties.AckMode;

/**
 * Spring for Apache Kafka: a listener container with a batch listener, which commits after each poll. Handlers that
 * wait run in as many consumers as there are partitions, the most concurrency that it has; others in one.
 */
final class PeerSpringKafka implements Peer, Sender {
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(30);

    @Override
    public Order order(Task task) {
        return Order.PARTITION;
    }

    /** Its commits cannot be switched off, except for commits by hand. */
    @Override
    public boolean commits(Task task) {
        return true;
    }

    @Override
    public Running start(Task task) {
        ContainerProperties properties = new ContainerProperties(task.topic());
        properties.setAckMode(AckMode.BATCH);
        properties.setShutdownTimeout(CLOSE_LIMIT.toMillis());
        properties.setMessageListener((BatchMessageListener<byte[], byte[]>) records -> {
            for (ConsumerRecord<byte[], byte[]> record : records) {
                task.probe().handleUninterrupted(record);
            }
        });
        var consumers = new DefaultKafkaConsumerFactory<>(
                task.kafkaConfig(), new ByteArrayDeserializer(), new ByteArrayDeserializer());
        ConcurrentMessageListenerContainer<byte[], byte[]> container =
                new ConcurrentMessageListenerContainer<>(consumers, properties);
        container.setConcurrency(task.probe().work().isNothing() ? 1 : Math.min(task.partitions(), task.concurrency()));
        container.start();
        return new Running() {
            @Override
            public void check() {
                if (!container.isRunning()) {
                    throw new IllegalStateException("the container has ended");
                }
            }

            @Override
            public void close() {
                container.stop();
            }
        };
    }

    @Override
    public void send(SendTask task) throws Exception {
        var producers = new DefaultKafkaProducerFactory<>(
                task.kafkaConfig(), new ByteArraySerializer(), new ByteArraySerializer());
        Acknowledged acknowledged = new Acknowledged(task.inFlight());
        try {
            KafkaTemplate<byte[], byte[]> template = new KafkaTemplate<>(producers);
            for (long index = 0; index < task.records(); index++) {
                acknowledged.await();
                var _ = template.send(task.record(index))
                        .whenComplete((_, failed) -> acknowledged.onCompletion(
                                null, failed == null ? null : new IllegalStateException(failed)));
            }
            template.flush();
            acknowledged.awaitAll(task.inFlight(), task.limit().toMillis(), TimeUnit.MILLISECONDS);
        } finally {
            producers.destroy();
        }
        acknowledged.check();
    }
}
