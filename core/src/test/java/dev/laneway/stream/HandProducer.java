package dev.laneway.stream;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;

/** Kafka's mock producer, whose answers a test gives in any order. */
class HandProducer extends MockProducer<byte[], byte[]> {
    private final List<ProducerRecord<byte[], byte[]>> sent = new CopyOnWriteArrayList<>();
    private final List<Callback> callbacks = new CopyOnWriteArrayList<>();
    private volatile boolean closed;

    @Override
    @SuppressWarnings("UnsynchronizedOverridesSynchronized") // A run's threads must not wait for a real monitor.
    public Future<RecordMetadata> send(ProducerRecord<byte[], byte[]> record, Callback callback) {
        sent.add(record);
        callbacks.add(callback);
        return new CompletableFuture<>();
    }

    @Override
    public void close(Duration limit) {
        closed = true;
    }

    /** What was given to it, in order; what was sent twice is in it twice. */
    List<ProducerRecord<byte[], byte[]>> sent() {
        return sent;
    }

    /** The broker has the record that was sent at this place of the order. */
    void acknowledge(int number) {
        String topic = sent.get(number).topic();
        callbacks.get(number).onCompletion(new RecordMetadata(new TopicPartition(topic, 0), number, 0, 0, 0, 0), null);
    }

    void refuse(int number, Exception why) {
        callbacks.get(number).onCompletion(null, why);
    }

    boolean isClosed() {
        return closed;
    }
}
