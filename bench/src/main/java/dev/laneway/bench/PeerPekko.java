package dev.laneway.bench;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.pekko.Done;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.kafka.CommitterSettings;
import org.apache.pekko.kafka.ConsumerMessage.CommittableOffset;
import org.apache.pekko.kafka.ConsumerSettings;
import org.apache.pekko.kafka.Subscriptions;
import org.apache.pekko.kafka.javadsl.Committer;
import org.apache.pekko.kafka.javadsl.Consumer;
import org.apache.pekko.kafka.javadsl.Consumer.DrainingControl;
import org.apache.pekko.stream.javadsl.Sink;
import org.apache.pekko.stream.javadsl.Source;

/**
 * Pekko connectors: {@code plainSource}, {@code committableSource} with {@code Committer.sink}, or
 * {@code atMostOnceSource}. What waits does so in {@code mapAsync}, as its documentation has it: records are handled at
 * once, and their offsets go on in order.
 */
final class PeerPekko implements Peer {
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(60);
    private static final String QUIET = "pekko.loglevel=ERROR, pekko.stdout-loglevel=ERROR";

    @Override
    public Order order(Task task) {
        return task.probe().work().isNothing() ? Order.PARTITION : Order.NONE;
    }

    @Override
    public Running start(Task task) {
        Config config = ConfigFactory.parseString(QUIET).withFallback(ConfigFactory.load());
        ActorSystem system = ActorSystem.create("bench", config);
        Map<String, String> properties = new HashMap<>();
        task.kafkaConfig().forEach((name, value) -> properties.put(name, value.toString()));
        ConsumerSettings<byte[], byte[]> settings = ConsumerSettings.create(
                        system, new ByteArrayDeserializer(), new ByteArrayDeserializer())
                .withProperties(properties);
        var topic = Subscriptions.topics(task.topic());
        DrainingControl<Done> control = switch (task.commits()) {
            case NONE ->
                handled(task, Consumer.plainSource(settings, topic))
                        .toMat(Sink.ignore(), Consumer::createDrainingControl)
                        .run(system);
            case BATCH ->
                committed(task, settings)
                        .toMat(Committer.sink(CommitterSettings.create(system)), Consumer::createDrainingControl)
                        .run(system);
            case POLL_AHEAD, RECORD_AHEAD ->
                handled(task, Consumer.atMostOnceSource(settings, topic))
                        .toMat(Sink.ignore(), Consumer::createDrainingControl)
                        .run(system);
        };
        return new Streaming(system, control);
    }

    private static <M> Source<Object, M> handled(
            Task task, Source<org.apache.kafka.clients.consumer.ConsumerRecord<byte[], byte[]>, M> source) {
        if (task.probe().work().isNothing()) {
            return source.map(record -> {
                task.probe().handle(record);
                return record;
            });
        }
        return source.mapAsync(
                task.concurrency(), record -> task.probe().handleLater(record).thenApply(_ -> record));
    }

    private static Source<CommittableOffset, Consumer.Control> committed(
            Task task, ConsumerSettings<byte[], byte[]> settings) {
        var source = Consumer.committableSource(settings, Subscriptions.topics(task.topic()));
        if (task.probe().work().isNothing()) {
            return source.map(message -> {
                task.probe().handle(message.record());
                return message.committableOffset();
            });
        }
        return source.mapAsync(
                task.concurrency(),
                message -> task.probe().handleLater(message.record()).thenApply(_ -> message.committableOffset()));
    }

    private record Streaming(ActorSystem system, DrainingControl<Done> control) implements Running {
        @Override
        public void check() {
            CompletableFuture<Done> ended = control.streamCompletion().toCompletableFuture();
            if (ended.isDone()) {
                ended.join();
                throw new IllegalStateException("the stream has ended");
            }
        }

        @Override
        public void close() throws Exception {
            CompletionStage<Done> drained = control.drainAndShutdown(system.dispatcher());
            drained.toCompletableFuture().get(CLOSE_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
            system.terminate();
            system.getWhenTerminated().toCompletableFuture().get(CLOSE_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
        }
    }
}
