package dev.laneway.bench.peer;

import dev.laneway.bench.measure.Commits;
import dev.laneway.bench.measure.Order;
import dev.laneway.bench.measure.Task;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.kafka.client.consumer.KafkaConsumer;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

/**
 * Vert.x Kafka client: a handler on the event loop, paused while the limit of records is in flight. It uses the
 * client's auto-commit, as its documentation does, whether or not records are done.
 */
final class PeerVertx implements Peer {
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(30);

    @Override
    public Order order(Task task) {
        return task.probe().work().isNothing() ? Order.PARTITION : Order.NONE;
    }

    @Override
    public Running start(Task task) throws Exception {
        Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(2));
        Map<String, String> config = new HashMap<>();
        task.kafkaConfig().forEach((name, value) -> config.put(name, value.toString()));
        config.put("enable.auto.commit", Boolean.toString(task.commits() != Commits.NONE));
        config.put("auto.commit.interval.ms", "1000");
        config.put("key.deserializer", ByteArrayDeserializer.class.getName());
        config.put("value.deserializer", ByteArrayDeserializer.class.getName());
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        KafkaConsumer<byte[], byte[]> consumer = KafkaConsumer.create(vertx, config);
        AtomicInteger inFlight = new AtomicInteger();
        consumer.exceptionHandler(failure::set);
        consumer.handler(record -> handle(task, consumer, inFlight, record.record()));
        consumer.subscribe(task.topic()).onFailure(failure::set);
        return new Running() {
            @Override
            public void check() {
                Throwable failed = failure.get();
                if (failed != null) {
                    throw new IllegalStateException("the consumer has failed", failed);
                }
            }

            @Override
            public void close() throws Exception {
                consumer.close()
                        .compose(_ -> vertx.close())
                        .toCompletionStage()
                        .toCompletableFuture()
                        .get(CLOSE_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
                check();
            }
        };
    }

    private static void handle(
            Task task,
            KafkaConsumer<byte[], byte[]> consumer,
            AtomicInteger inFlight,
            ConsumerRecord<byte[], byte[]> record) {
        if (task.probe().work().isNothing()) {
            task.probe().handleUninterrupted(record);
            return;
        }
        if (inFlight.incrementAndGet() >= task.concurrency()) {
            consumer.pause();
        }
        task.probe().handleLater(record).whenComplete((_, _) -> {
            if (inFlight.decrementAndGet() < task.concurrency()) {
                consumer.resume();
            }
        });
    }
}
