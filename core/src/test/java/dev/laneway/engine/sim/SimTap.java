package dev.laneway.engine.sim;

import dev.laneway.engine.track.Chunk;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Collection;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;

/** Sits between an engine and its simulated clients, and shows the checks what passes. */
final class SimTap {
    private final SimProcess process;
    private final SimCheck check;

    SimTap(SimProcess process, SimCheck check) {
        this.process = process;
        this.check = check;
    }

    @SuppressWarnings("unchecked")
    Consumer<byte[], byte[]> consumer(Consumer<byte[], byte[]> client) {
        return (Consumer<byte[], byte[]>) Proxy.newProxyInstance(
                SimTap.class.getClassLoader(),
                new Class<?>[] {Consumer.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "poll" -> polled((ConsumerRecords<byte[], byte[]>) call(client, method, arguments));
                    case "subscribe" -> {
                        if (arguments.length == 2) {
                            arguments[1] = new Listener((ConsumerRebalanceListener) arguments[1]);
                        }
                        yield call(client, method, arguments);
                    }
                    case "commitSync", "commitAsync" -> {
                        Map<TopicPartition, OffsetAndMetadata> offsets =
                                (Map<TopicPartition, OffsetAndMetadata>) arguments[0];
                        if (offsets.isEmpty()) {
                            yield call(client, method, arguments); // Waits for what was sent before.
                        }
                        if (!process.isDead()) {
                            check.commits(process, offsets);
                        }
                        yield committed(client, method, arguments);
                    }
                    case "committed" -> {
                        process.asks();
                        yield call(client, method, arguments);
                    }
                    case "seek" -> {
                        if (!process.isDead() && arguments[1] instanceof Long offset) {
                            process.sought((TopicPartition) arguments[0], offset);
                        } else if (!process.isDead() && arguments[1] instanceof OffsetAndMetadata behindDone) {
                            process.skips((TopicPartition) arguments[0], behindDone.offset());
                        }
                        yield call(client, method, arguments);
                    }
                    default -> call(client, method, arguments);
                });
    }

    @SuppressWarnings("AvoidObjectArrays") // Those of a reflective call.
    private Object committed(Object client, Method method, Object[] arguments) throws Throwable {
        process.commitBegins();
        if (arguments[1] instanceof OffsetCommitCallback engine) {
            arguments[1] = (OffsetCommitCallback) (offsets, failure) -> {
                if (failure == null) {
                    process.commitSucceeded();
                }
                engine.onComplete(offsets, failure);
            };
            return call(client, method, arguments);
        }
        Object answer = call(client, method, arguments);
        process.commitSucceeded();
        return answer;
    }

    /** The client that reads spilled records again. */
    @SuppressWarnings("unchecked")
    Consumer<byte[], byte[]> refill(Consumer<byte[], byte[]> client) {
        return (Consumer<byte[], byte[]>) Proxy.newProxyInstance(
                SimTap.class.getClassLoader(), new Class<?>[] {Consumer.class}, (proxy, method, arguments) -> {
                    Object answer = call(client, method, arguments);
                    if (answer instanceof ConsumerRecords<?, ?> records && !process.isDead()) {
                        process.readAgain((ConsumerRecords<byte[], byte[]>) records);
                    }
                    return answer;
                });
    }

    private ConsumerRecords<byte[], byte[]> polled(ConsumerRecords<byte[], byte[]> records) {
        process.asked();
        if (!process.isDead()) {
            long bytes = 0;
            long largest = 0;
            long largestOfEach = 0;
            for (TopicPartition id : records.partitions()) {
                long largestOfIt = 0;
                for (ConsumerRecord<byte[], byte[]> record : records.records(id)) {
                    bytes += Chunk.bytes(record);
                    largestOfIt = Math.max(largestOfIt, Chunk.bytes(record));
                }
                largest = Math.max(largest, largestOfIt);
                largestOfEach += largestOfIt;
            }
            process.saw(bytes, largest, largestOfEach);
            records.partitions().forEach(id -> check.polled(process, id, records.records(id)));
            records.nextOffsets().forEach((id, next) -> process.moved(id, next.offset()));
            process.returnsLate();
        }
        return records;
    }

    @SuppressWarnings("unchecked")
    Producer<byte[], byte[]> producer(Producer<byte[], byte[]> client) {
        return (Producer<byte[], byte[]>) Proxy.newProxyInstance(
                SimTap.class.getClassLoader(), new Class<?>[] {Producer.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("send") && arguments.length == 2) {
                        ProducerRecord<byte[], byte[]> record = (ProducerRecord<byte[], byte[]>) arguments[0];
                        Callback engine = (Callback) arguments[1];
                        if (!process.isDead()) {
                            process.handlers.sends();
                        }
                        arguments[1] = (Callback) (metadata, failure) -> {
                            if (!process.isDead()) {
                                process.handlers.answered(record, failure);
                            }
                            engine.onCompletion(metadata, failure);
                        };
                    } else if (method.getName().equals("sendOffsetsToTransaction") && !process.isDead()) {
                        process.noteGroup((ConsumerGroupMetadata) arguments[1]);
                        check.commits(process, (Map<TopicPartition, OffsetAndMetadata>) arguments[0]);
                    }
                    return call(client, method, arguments);
                });
    }

    @SuppressWarnings("AvoidObjectArrays") // Those of a reflective call.
    private static Object call(Object target, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException failure) {
            throw failure.getCause();
        }
    }

    /** Shows what the engine makes of a rebalance. */
    private final class Listener implements ConsumerRebalanceListener {
        private final ConsumerRebalanceListener engine;

        Listener(ConsumerRebalanceListener engine) {
            this.engine = engine;
        }

        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> ids) {
            engine.onPartitionsAssigned(ids);
            process.noteEpochs();
        }

        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> ids) {
            process.revokes(ids);
            try {
                engine.onPartitionsRevoked(ids);
            } finally {
                process.revoked();
            }
        }

        @Override
        public void onPartitionsLost(Collection<TopicPartition> ids) {
            process.loses(ids);
            try {
                engine.onPartitionsLost(ids);
            } finally {
                process.lost();
            }
        }
    }
}
