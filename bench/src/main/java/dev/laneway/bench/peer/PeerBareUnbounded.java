package dev.laneway.bench.peer;

import dev.laneway.bench.measure.Acknowledged;
import dev.laneway.bench.measure.Order;
import dev.laneway.bench.measure.SendTask;
import dev.laneway.bench.measure.Task;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** The bare producer, which is waited for only when its buffer is full: a loop that only sends. */
final class PeerBareUnbounded implements Peer, Sender {
    @Override
    public Order order(Task task) {
        return Order.PARTITION;
    }

    @Override
    public Running start(Task task) {
        throw new UnsupportedOperationException("bare-unbounded only writes");
    }

    @Override
    public void send(SendTask task) {
        Acknowledged acknowledged = new Acknowledged(0);
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(task.kafkaConfig(), new ByteArraySerializer(), new ByteArraySerializer())) {
            for (long index = 0; index < task.records(); index++) {
                var _ = producer.send(task.record(index), acknowledged);
            }
            producer.flush();
        }
        acknowledged.check();
    }
}
