package dev.laneway.bench.peer;

import dev.laneway.bench.measure.Commits;
import dev.laneway.bench.measure.Order;
import dev.laneway.bench.measure.Probe;
import dev.laneway.bench.measure.SendTask;
import dev.laneway.bench.measure.Task;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.kafka.receiver.KafkaReceiver;
import reactor.kafka.receiver.ReceiverOptions;
import reactor.kafka.receiver.ReceiverRecord;
import reactor.kafka.sender.KafkaSender;
import reactor.kafka.sender.SenderOptions;
import reactor.kafka.sender.SenderRecord;

/**
 * Reactor Kafka: {@code receive} with acknowledgement, or {@code receiveAtmostOnce}. What waits does so in
 * {@code flatMap}; its out-of-order commits are switched on then.
 */
final class PeerReactorKafka implements Peer, Sender {
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(30);

    @Override
    public Order order(Task task) {
        return task.probe().work().isNothing() ? Order.PARTITION : Order.NONE;
    }

    @Override
    public Running start(Task task) {
        ReceiverOptions<byte[], byte[]> options = ReceiverOptions.<byte[], byte[]>create(task.kafkaConfig())
                .withKeyDeserializer(new ByteArrayDeserializer())
                .withValueDeserializer(new ByteArrayDeserializer())
                .consumerProperty(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, task.maxPollRecords())
                .commitInterval(Duration.ofSeconds(1))
                .subscription(List.of(task.topic()));
        if (!task.probe().work().isNothing()) {
            options = options.maxDeferredCommits(10 * task.concurrency());
        }
        if (task.commits() == Commits.RECORD_AHEAD) {
            options = options.atmostOnceCommitAheadSize(0);
        } else if (task.commits() == Commits.POLL_AHEAD) {
            options = options.atmostOnceCommitAheadSize(task.maxPollRecords());
        }
        return new Receiving(flux(task, KafkaReceiver.create(options)));
    }

    @Override
    public void send(SendTask task) {
        SenderOptions<byte[], byte[]> options = SenderOptions.<byte[], byte[]>create(task.kafkaConfig())
                .withKeySerializer(new ByteArraySerializer())
                .withValueSerializer(new ByteArraySerializer())
                .maxInFlight(task.inFlight());
        KafkaSender<byte[], byte[]> sender = KafkaSender.create(options);
        try {
            Flux<SenderRecord<byte[], byte[], Integer>> records = Flux.range(0, Math.toIntExact(task.records()))
                    .map(index -> SenderRecord.create(task.record(index), index));
            sender.send(records).then().block(task.limit());
        } finally {
            sender.close();
        }
    }

    private static Flux<?> flux(Task task, KafkaReceiver<byte[], byte[]> receiver) {
        Probe probe = task.probe();
        return switch (task.commits()) {
            case NONE, BATCH ->
                probe.work().isNothing()
                        ? receiver.receive().doOnNext(record -> {
                            probe.handleUninterrupted(record);
                            acknowledge(task, record);
                        })
                        : receiver.receive()
                                .flatMap(
                                        record -> Mono.fromCompletionStage(probe.handleLater(record))
                                                .doOnSuccess(_ -> acknowledge(task, record)),
                                        task.concurrency());
            case POLL_AHEAD, RECORD_AHEAD -> receiver.receiveAtmostOnce().doOnNext(probe::handleUninterrupted);
        };
    }

    private static void acknowledge(Task task, ReceiverRecord<byte[], byte[]> record) {
        if (task.commits() == Commits.BATCH) {
            record.receiverOffset().acknowledge();
        }
    }

    private static final class Receiving implements Running {
        private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        private final CountDownLatch ended = new CountDownLatch(1);
        private final Disposable subscription;

        Receiving(Flux<?> flux) {
            // Only then is the consumer closed, and what is acknowledged committed.
            subscription = flux.doFinally(_ -> ended.countDown()).subscribe(_ -> {}, failure::set);
        }

        @Override
        public void check() {
            Throwable failed = failure.get();
            if (failed != null) {
                throw new IllegalStateException("the receiver has failed", failed);
            }
        }

        @Override
        public void close() throws InterruptedException {
            subscription.dispose();
            if (!ended.await(CLOSE_LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new IllegalStateException("the receiver does not end");
            }
            check();
        }
    }
}
