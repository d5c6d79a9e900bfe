package dev.laneway.bench.peer;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.laneway.bench.measure.CopyTask;
import dev.laneway.bench.measure.Order;
import dev.laneway.bench.measure.SendTask;
import dev.laneway.bench.measure.Task;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.pekko.Done;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.kafka.CommitterSettings;
import org.apache.pekko.kafka.ConsumerMessage.CommittableOffset;
import org.apache.pekko.kafka.ConsumerSettings;
import org.apache.pekko.kafka.ProducerMessage;
import org.apache.pekko.kafka.ProducerSettings;
import org.apache.pekko.kafka.Subscriptions;
import org.apache.pekko.kafka.javadsl.Committer;
import org.apache.pekko.kafka.javadsl.Consumer;
import org.apache.pekko.kafka.javadsl.Consumer.DrainingControl;
import org.apache.pekko.kafka.javadsl.Producer;
import org.apache.pekko.kafka.javadsl.Transactional;
import org.apache.pekko.stream.javadsl.Sink;
import org.apache.pekko.stream.javadsl.Source;

/**
 * Pekko connectors: {@code plainSource}, {@code committableSource} with {@code Committer.sink}, or
 * {@code atMostOnceSource}. What waits does so in {@code mapAsync}, as its documentation has it: records are handled at
 * once, and their offsets go on in order.
 */
public final class PeerPekko implements Peer, Sender, Copier {
    private static final Duration CLOSE_LIMIT = Duration.ofMinutes(1);
    private static final String QUIET = "pekko.loglevel=ERROR, pekko.stdout-loglevel=ERROR";

    @Override
    public Order order(Task task) {
        return task.probe().work().isNothing() ? Order.PARTITION : Order.NONE;
    }

    @Override
    public Running start(Task task) {
        ActorSystem system = system();
        ConsumerSettings<byte[], byte[]> settings = settings(system, task.kafkaConfig());
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

    @Override
    public void send(SendTask task) throws Exception {
        ActorSystem system = system();
        try {
            ProducerSettings<byte[], byte[]> settings = ProducerSettings.create(
                            system, new ByteArraySerializer(), new ByteArraySerializer())
                    .withProperties(texts(task.kafkaConfig()))
                    .withParallelism(task.inFlight());
            Source.range(0, Math.toIntExact(task.records() - 1))
                    .map(index -> task.record(index))
                    .runWith(Producer.plainSink(settings), system)
                    .toCompletableFuture()
                    .get(task.limit().toMillis(), TimeUnit.MILLISECONDS);
        } finally {
            end(system);
        }
    }

    /** Its source and its flow for transactions; each waits for what is in flight before it commits. */
    @Override
    public Running copy(CopyTask task) {
        ActorSystem system = system();
        ProducerSettings<byte[], byte[]> producer = ProducerSettings.create(
                        system, new ByteArraySerializer(), new ByteArraySerializer())
                .withBootstrapServers(task.bootstrap());
        DrainingControl<Done> control = Transactional.source(
                        settings(system, task.kafkaConfig()), Subscriptions.topics(task.from()))
                .map(message -> ProducerMessage.single(task.copy(message.record()), message.partitionOffset()))
                .toMat(Transactional.sink(producer, task.transactionalId()), Consumer::createDrainingControl)
                .run(system);
        return new Streaming(system, control);
    }

    public static ActorSystem system() {
        Config config = ConfigFactory.parseString(QUIET).withFallback(ConfigFactory.load());
        return ActorSystem.create("bench", config);
    }

    private static void end(ActorSystem system) throws Exception {
        system.terminate();
        system.getWhenTerminated().toCompletableFuture().get(CLOSE_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
    }

    public static ConsumerSettings<byte[], byte[]> settings(ActorSystem system, Map<String, Object> config) {
        return ConsumerSettings.create(system, new ByteArrayDeserializer(), new ByteArrayDeserializer())
                .withProperties(texts(config))
                // As its documentation has it for a control that drains.
                .withStopTimeout(Duration.ZERO);
    }

    private static Map<String, String> texts(Map<String, Object> config) {
        Map<String, String> texts = new HashMap<>();
        config.forEach((name, value) -> texts.put(name, value.toString()));
        return texts;
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

    record Streaming(ActorSystem system, DrainingControl<Done> control) implements Running {
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
            end(system);
        }
    }
}
