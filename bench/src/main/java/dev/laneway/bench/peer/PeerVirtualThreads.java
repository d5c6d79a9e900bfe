package dev.laneway.bench.peer;

import dev.laneway.bench.measure.Commits;
import dev.laneway.bench.measure.Order;
import dev.laneway.bench.measure.Task;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * A bare loop that starts a virtual thread for each record. It keeps no order and commits what was polled, done or not,
 * so a crash loses records. Only a reference.
 */
final class PeerVirtualThreads implements Peer {
    private static final Duration POLL = Duration.ofMillis(100);

    @Override
    public Order order(Task task) {
        return Order.NONE;
    }

    @Override
    public Running start(Task task) {
        return new Loop(task);
    }

    private static final class Loop extends LoopThread {
        private final Task task;
        private final KafkaConsumer<byte[], byte[]> consumer;
        private final Semaphore permits;

        Loop(Task task) {
            super("bare-vthreads");
            this.task = task;
            consumer =
                    new KafkaConsumer<>(task.kafkaConfig(), new ByteArrayDeserializer(), new ByteArrayDeserializer());
            permits = new Semaphore(task.concurrency());
            begin();
        }

        @Override
        void run() throws InterruptedException {
            try (consumer;
                    ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
                consumer.subscribe(List.of(task.topic()));
                while (!isEnding()) {
                    for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                        permits.acquire();
                        threads.execute(() -> handle(record));
                    }
                    if (task.commits() != Commits.NONE) {
                        consumer.commitAsync();
                    }
                }
                if (task.commits() != Commits.NONE) {
                    consumer.commitSync();
                }
            }
        }

        private void handle(ConsumerRecord<byte[], byte[]> record) {
            try {
                task.probe().handleUninterrupted(record);
            } finally {
                permits.release();
            }
        }
    }
}
