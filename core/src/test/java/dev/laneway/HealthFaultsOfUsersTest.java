package dev.laneway;

import static dev.laneway.HealthFaultsTest.expect;
import static dev.laneway.Stage.LIMIT;
import static org.awaitility.Awaitility.await;

import dev.laneway.stream.ConsumerSettings;
import dev.laneway.stream.Control;
import dev.laneway.stream.KafkaSource;
import dev.laneway.stream.PartitionStream;
import dev.laneway.stream.Source;
import dev.laneway.stream.Subscription;
import java.io.IOException;
import java.net.SocketException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.concurrent.RejectedExecutionException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** As {@link HealthFaultsTest}, with the same table: faults of user code. */
@Execution(ExecutionMode.CONCURRENT) // It mostly waits.
@Timeout(180)
@DisplayName("Faults of handlers, stores and streams, and what health says of them")
class HealthFaultsOfUsersTest {
    private final Stage stage = Stage.of(1);

    private ConsumerSettings<String, String> settings(Deserializer<String> values) {
        return ConsumerSettings.of(stage.config(Map.of()), new StringDeserializer(), values)
                .withCloseOnShutdown(false);
    }

    private Subscription all() {
        return Subscription.topics(stage.topic);
    }

    private static void end(Control control) {
        control.stop();
        await().atMost(LIMIT).until(control::isShutdown);
    }

    @Test
    @DisplayName("B114 paused by the user")
    void paused() throws IOException {
        try (Laneway laneway = stage.consumer().process(_ -> {})) {
            laneway.pause();
            expect("paused by you", laneway::health, Health.Status.DEGRADED, "paused");
        }
    }

    @Test
    @DisplayName("B114 a handler that does not return, with a stallLimit of two seconds")
    void stalled() throws IOException {
        stage.load(5, i -> "key-" + i);
        CountDownLatch go = new CountDownLatch(1);
        try (Laneway laneway = stage.consumer()
                .stallLimit(Duration.ofSeconds(2))
                .process(record -> {
                    if (record.offset() == 1) {
                        go.await();
                    }
                })) {
            expect("a handler that does not return", laneway::health, Health.Status.DOWN, "stallLimit");
            go.countDown();
            await().atMost(LIMIT).until(() -> laneway.health().reasons().isEmpty());
        }
    }

    @Test
    @DisplayName("B114 an executor that takes no worker")
    void executor() throws IOException {
        stage.load(5, i -> "key-" + i);
        try (Laneway laneway = stage.consumer()
                .workers(Workers.on(task -> {
                    throw new RejectedExecutionException("full");
                }))
                .process(_ -> {})) {
            expect("an executor that takes no worker", laneway::health, Health.Status.DEGRADED, "no further worker");
        }
    }

    @Test
    @DisplayName("B114 a store of offsets that does not answer")
    void offsetsElsewhere() throws IOException {
        CompletableFuture<Map<TopicPartition, Long>> never = new CompletableFuture<>();
        Control control = KafkaSource.partitioned(
                        settings(new StringDeserializer()), all(), partitions -> never, partitions -> {})
                .run();
        expect("a store of offsets that does not answer", control::health, Health.Status.DEGRADED, "cannot start");
        never.complete(Map.of(stage.partition(0), 0L));
        await().atMost(LIMIT).until(() -> control.health().status() == Health.Status.UP);
        end(control);
    }

    @Test
    @DisplayName("B114 a schema registry that is away, of a stream")
    void registryAway() throws IOException {
        stage.load(5, i -> "key-" + i);
        Control control = KafkaSource.plain(
                        settings((topic, data) -> {
                            throw new IllegalStateException(new SocketException("connection refused"));
                        }),
                        all())
                .run();
        expect(
                "a schema registry that is away, of a stream",
                control::health,
                Health.Status.DEGRADED,
                "cannot be read");
        end(control);
    }

    @Test
    @DisplayName("B114 a partition stream that is cancelled")
    void cancelled() throws IOException {
        Control control = KafkaSource.partitioned(settings(new StringDeserializer()), all())
                .map(partition -> {
                    cancel(partition);
                    return partition;
                })
                .run();
        expect("a partition stream that is cancelled", control::health, Health.Status.DEGRADED, stage.topic);
        end(control);
    }

    private static void cancel(PartitionStream<ConsumerRecord<String, String>> partition) {
        Source<ConsumerRecord<String, String>> source = partition.source();
        source.subscribe(new Flow.Subscriber<>() {
            @Override
            public void onSubscribe(Flow.Subscription subscription) {
                subscription.cancel();
            }

            @Override
            public void onNext(ConsumerRecord<String, String> record) {
                // Nothing was asked for.
            }

            @Override
            public void onError(Throwable failure) {
                // It was cancelled.
            }

            @Override
            public void onComplete() {
                // It was cancelled.
            }
        });
    }

    @Test
    @DisplayName("B114 a stream whose function throws")
    void failedStream() throws IOException {
        stage.load(1, i -> "key");
        Control control = KafkaSource.plain(settings(new StringDeserializer()), all())
                .map(record -> {
                    throw new IllegalStateException("connection refused");
                })
                .run();
        expect("a stream whose function throws", control::health, Health.Status.DOWN, "connection refused");
        end(control);
    }
}
