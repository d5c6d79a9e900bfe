package dev.laneway.engine;

import dev.laneway.AsyncHandler;
import dev.laneway.BatchHandler;
import dev.laneway.Options;
import dev.laneway.OutcomeHandler;
import dev.laneway.engine.handle.HandlerSpec;
import dev.laneway.engine.runtime.HandHost;
import dev.laneway.engine.track.Event;
import dev.laneway.engine.track.Track;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * One partition and its workers, moved by hand: a test says when workers run, when the broker answers, when time
 * passes.
 */
public final class Shop {
    public final HandHost host = new HandHost();
    final HandConsumer consumer = new HandConsumer();
    /** Kafka's own producer for tests; a test answers what it was given. */
    public final MockProducer<byte[], byte[]> producer =
            new MockProducer<>(false, null, new ByteArraySerializer(), new ByteArraySerializer()) {
                @Override
                public synchronized Future<RecordMetadata> send(
                        ProducerRecord<byte[], byte[]> record, Callback callback) {
                    onSend.run();
                    return super.send(record, callback);
                }
            };
    /** What happens while a worker is in the producer. */
    public Runnable onSend = () -> {};

    public final Machine machine;
    public final Track track;
    /** Failures that stop the consumer. */
    public final List<Throwable> fatal = new ArrayList<>();

    public final List<Event.Retry> retries = new ArrayList<>();
    public final List<Event.Redeliver> redeliveries = new ArrayList<>();

    private Shop(Options options, HandlerSpec handling) {
        machine = new Machine(host, options, handling, consumer, producer);
        track = machine.track();
    }

    public static Shop each(Options options, OutcomeHandler<String, String> handler) {
        return new Shop(options, new HandlerSpec.Each<>(strings(), strings(), handler, false));
    }

    public static Shop each(Options options, Deserializer<String> values, OutcomeHandler<String, String> handler) {
        return new Shop(options, new HandlerSpec.Each<>(strings(), values, handler, false));
    }

    public static Shop batches(
            Options options, int size, Deserializer<String> values, BatchHandler<String, String> handler) {
        return new Shop(options, new HandlerSpec.Batch<>(strings(), values, size, Duration.ofSeconds(1), handler));
    }

    public static Shop async(Options options, AsyncHandler<byte[], byte[]> handler) {
        return new Shop(
                options, new HandlerSpec.Async<>(new ByteArrayDeserializer(), new ByteArrayDeserializer(), handler));
    }

    static Shop batches(Options options, int size, BatchHandler<byte[], byte[]> handler) {
        return new Shop(
                options,
                new HandlerSpec.Batch<>(
                        new ByteArrayDeserializer(),
                        new ByteArrayDeserializer(),
                        size,
                        Duration.ofSeconds(1),
                        handler));
    }

    private static Deserializer<String> strings() {
        return new StringDeserializer();
    }

    /** Appends records, one for each letter: its key; runs workers until there is nothing to do. */
    public Shop poll(String keys) {
        long from = track.progress(4096).offset() + track.ledger.records();
        track.append(Records.chunk(from, keys), from + keys.length());
        machine.scheduler.workArrived();
        return turn();
    }

    /** Workers and the owner, until nothing happens but by the broker or by time. */
    public Shop turn() {
        host.runWorkers();
        for (Event event = machine.inbox.poll(); event != null; event = machine.inbox.poll()) {
            switch (event) {
                case Event.Retry retry -> retries.add(retry);
                case Event.Redeliver redeliver -> redeliveries.add(redeliver);
                case Event.Failed(Throwable cause) -> fatal.add(cause);
                default -> throw new AssertionError("unexpected: " + event);
            }
        }
        return this;
    }

    /** The delays of waiting retries are over. */
    public Shop retry() {
        List<Event.Retry> due = List.copyOf(retries);
        retries.clear();
        due.forEach(retry -> retry.lane().track.lanes.wake(retry.lane()));
        return turn();
    }

    /** The delays of deliveries that were refused are over. */
    public Shop redeliver() {
        List<Event.Redeliver> due = List.copyOf(redeliveries);
        redeliveries.clear();
        due.forEach(redeliver -> machine.scheduler.ready(redeliver.delivery()));
        return turn();
    }

    /** The broker acknowledges the oldest record sent. */
    public Shop acknowledge() {
        if (!producer.completeNext()) {
            throw new AssertionError("nothing was sent");
        }
        return turn();
    }

    public Shop refuse(RuntimeException failure) {
        if (!producer.errorNext(failure)) {
            throw new AssertionError("nothing was sent");
        }
        return turn();
    }

    public long committable() {
        return track.progress(4096).offset();
    }

    /** A header's text; null when it is absent. */
    public static String text(Header header) {
        return header == null ? null : new String(header.value(), StandardCharsets.UTF_8);
    }
}
