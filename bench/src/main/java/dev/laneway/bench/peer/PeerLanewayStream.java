package dev.laneway.bench.peer;

import dev.laneway.bench.measure.Commits;
import dev.laneway.bench.measure.Order;
import dev.laneway.bench.measure.Task;
import dev.laneway.stream.CommittableRecord;
import dev.laneway.stream.Committer;
import dev.laneway.stream.CommitterSettings;
import dev.laneway.stream.ConsumerSettings;
import dev.laneway.stream.Control;
import dev.laneway.stream.KafkaSource;
import dev.laneway.stream.Source;
import dev.laneway.stream.Subscription;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Laneway's streams: {@code plain}, {@code committable} into {@code Committer.sink}, or {@code atMostOnce}. What waits
 * does so in {@code mapAsync}.
 */
final class PeerLanewayStream implements Peer {
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(30);

    @Override
    public Order order(Task task) {
        return task.probe().work().isNothing() ? Order.PARTITION : Order.NONE;
    }

    @Override
    public Running start(Task task) {
        Map<String, Object> config = task.kafkaConfig();
        if (task.commits() == Commits.RECORD_AHEAD) {
            // It commits a poll at a time.
            config.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, 1);
        }
        ConsumerSettings<byte[], byte[]> settings = ConsumerSettings.of(
                        config, new ByteArrayDeserializer(), new ByteArrayDeserializer())
                .withCloseOnShutdown(false);
        Subscription topic = Subscription.topics(task.topic());
        Control control = switch (task.commits()) {
            case NONE -> handled(task, KafkaSource.plain(settings, topic));
            case BATCH -> acknowledged(task, KafkaSource.committable(settings, topic));
            case POLL_AHEAD, RECORD_AHEAD -> handled(task, KafkaSource.atMostOnce(settings, topic));
        };
        return new Streaming(control);
    }

    private static Control handled(Task task, Source<ConsumerRecord<byte[], byte[]>> source) {
        if (!task.probe().work().isNothing()) {
            return source.mapAsync(
                            task.concurrency(),
                            record -> task.probe().handleLater(record).thenApply(_ -> record))
                    .to(new Dropping<>());
        }
        return source.map(record -> {
                    task.probe().handleUninterrupted(record);
                    return record;
                })
                .to(new Dropping<>());
    }

    private static Control acknowledged(Task task, Source<CommittableRecord<byte[], byte[]>> source) {
        if (!task.probe().work().isNothing()) {
            return source.mapAsync(
                            task.concurrency(),
                            record -> task.probe().handleLater(record.record()).thenApply(_ -> record))
                    .to(Committer.sink(CommitterSettings.DEFAULTS));
        }
        return source.map(record -> {
                    task.probe().handleUninterrupted(record.record());
                    return record;
                })
                .to(Committer.sink(CommitterSettings.DEFAULTS));
    }

    /** Requests and drops everything. The stream itself reports its failures. */
    private static final class Dropping<T> implements Flow.Subscriber<T> {
        @Override
        public void onSubscribe(Flow.Subscription subscription) {
            subscription.request(Long.MAX_VALUE);
        }

        @Override
        public void onNext(T element) {}

        @Override
        public void onError(Throwable failure) {}

        @Override
        public void onComplete() {}
    }

    private record Streaming(Control control) implements Running {
        @Override
        public void check() {
            CompletableFuture<?> ended = control.completion().toCompletableFuture();
            if (ended.isDone()) {
                ended.join();
                throw new IllegalStateException("the stream has ended");
            }
        }

        @Override
        public void close() throws Exception {
            control.drainAndShutdown(CLOSE_LIMIT)
                    .toCompletableFuture()
                    .get(2 * CLOSE_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
        }
    }
}
