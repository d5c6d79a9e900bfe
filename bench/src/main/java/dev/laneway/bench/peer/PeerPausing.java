package dev.laneway.bench.peer;

import dev.laneway.bench.measure.Order;
import dev.laneway.bench.measure.Task;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

/**
 * The bare client with flow control as libraries build it: polled records wait in a queue for each partition, one
 * thread takes them in turn, and before each poll all partitions are paused whose queue is not empty. Uses only what
 * clients from 2.3 on have.
 */
final class PeerPausing implements Peer {
    @Override
    public Order order(Task task) {
        return Order.PARTITION;
    }

    @Override
    public Running start(Task task) {
        return new Loop(task);
    }

    private static final class Loop extends LoopThread {
        private static final Duration POLL = Duration.ofMillis(10);
        private static final int LARGEST = 10_000;

        private final Task task;
        private final KafkaConsumer<byte[], byte[]> consumer;
        private final Map<TopicPartition, Queue<ConsumerRecord<byte[], byte[]>>> queues = new ConcurrentHashMap<>();
        private final BlockingQueue<Queue<ConsumerRecord<byte[], byte[]>>> ready = new ArrayBlockingQueue<>(LARGEST);
        private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

        Loop(Task task) {
            super("bare-pausing");
            this.task = task;
            consumer =
                    new KafkaConsumer<>(task.kafkaConfig(), new ByteArrayDeserializer(), new ByteArrayDeserializer());
            begin();
        }

        @Override
        void run() throws Exception {
            Thread worker =
                    Thread.ofPlatform().daemon().name("bare-pausing-worker").start(this::work);
            try (consumer) {
                consumer.subscribe(List.of(task.topic()));
                while (!isEnding()) {
                    turn();
                    Throwable failed = failure.get();
                    if (failed != null) {
                        throw new IllegalStateException("the worker has failed", failed);
                    }
                }
            }
            worker.join();
        }

        private void turn() {
            List<TopicPartition> full = new ArrayList<>();
            List<TopicPartition> open = new ArrayList<>();
            for (TopicPartition id : consumer.assignment()) {
                Queue<ConsumerRecord<byte[], byte[]>> queue = queues.get(id);
                (queue == null || queue.isEmpty() ? open : full).add(id);
            }
            consumer.pause(full);
            consumer.resume(open);
            var polled = consumer.poll(POLL);
            for (TopicPartition id : polled.partitions()) {
                Queue<ConsumerRecord<byte[], byte[]>> queue =
                        queues.computeIfAbsent(id, _ -> new ConcurrentLinkedQueue<>());
                queue.addAll(polled.records(id));
                ready.add(queue);
            }
        }

        /** Takes one record of each partition in turn. */
        private void work() {
            try {
                while (!isEnding()) {
                    Queue<ConsumerRecord<byte[], byte[]>> queue = ready.poll(POLL.toMillis(), TimeUnit.MILLISECONDS);
                    ConsumerRecord<byte[], byte[]> record = queue == null ? null : queue.peek();
                    if (queue != null && record != null) {
                        task.probe().handle(record);
                        queue.remove();
                        // It may have been filled and queued again since: then it gets two turns, until it is empty.
                        if (!queue.isEmpty()) {
                            ready.add(queue);
                        }
                    }
                }
            } catch (InterruptedException | RuntimeException failed) {
                failure.set(failed);
            }
        }
    }
}
