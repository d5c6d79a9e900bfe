package dev.laneway.stream;

import dev.laneway.engine.FeedingConsumer;
import dev.laneway.engine.handle.StreamFeed;
import dev.laneway.engine.handle.StreamOutlet;
import dev.laneway.engine.handle.StreamReader;
import dev.laneway.stream.runtime.StreamTimer;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.Executor;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * The stage behind {@link KafkaSource#partitioned}: a stream for each assignment of each partition. The stream of a
 * partition that is given up before it was emitted is never emitted.
 */
final class PartitionedSource<K, V, R> extends Operator<Object, PartitionStream<R>> implements StreamOutlet {
    private final StreamReader<K, V> reader;
    private final BiFunction<? super ConsumerRecord<K, V>, ? super StreamFeed, ? extends R> shape;
    private final ConsumerControl control;
    private final Function<StreamOutlet, FeedingConsumer> consumer;
    private final Executor threads;
    private final StreamTimer alarm;
    private final Queue<PartitionSource<K, V, R>> opened = new ConcurrentLinkedQueue<>();
    /** Streams that have not ended, in the order of their start, so that a simulated run repeats exactly. */
    private final Set<PartitionSource<K, V, R>> live = new CopyOnWriteArraySet<>();

    private volatile boolean consumerEnded;
    private volatile @Nullable Throwable consumerFailure;

    /**
     * Makes a stage.
     *
     * @param consumer starts the consumer that feeds the outlet
     * @param threads runs each drain, its own and those of its streams, on a thread that may block
     * @param alarm starts the next attempt to read a waiting record
     */
    PartitionedSource(
            StreamReader<K, V> reader,
            BiFunction<? super ConsumerRecord<K, V>, ? super StreamFeed, ? extends R> shape,
            ConsumerControl control,
            Function<StreamOutlet, FeedingConsumer> consumer,
            Executor threads,
            StreamTimer alarm) {
        this.reader = reader;
        this.shape = shape;
        this.control = control;
        this.consumer = consumer;
        this.threads = threads;
        this.alarm = alarm;
    }

    // ---------------------------------------------------------------- the consumer

    @Override
    public void opened(StreamFeed feed) {
        PartitionSource<K, V, R> stream = new PartitionSource<>(reader, shape, feed, this, threads, alarm);
        opened.removeIf(PartitionSource::isGivenUp);
        live.add(stream);
        feed.listen(stream::news);
        opened.add(stream);
        signal();
    }

    @Override
    public void ended(@Nullable Throwable failure) {
        consumerFailure = failure;
        consumerEnded = true;
        tellAll();
    }

    @Override
    public String fullStages() {
        return control.pipeline().fullStages();
    }

    private void tellAll() {
        live.forEach(PartitionSource::news);
        signal();
    }

    // ---------------------------------------------------------------- its streams

    /** Whether no stream may deliver anything more. */
    boolean isStopping() {
        return consumerEnded || control.isStopping();
    }

    /** Whether the whole source has failed with this cause and reported it. */
    boolean isKnown(Throwable cause) {
        return cause.equals(control.failure()) || cause.equals(consumerFailure);
    }

    /** The stages of the outer stream, whose elements are streams. */
    Pipeline pipeline() {
        return control.pipeline();
    }

    /** What the streams fail with; null when they complete. */
    @Nullable
    Throwable failure() {
        return consumerFailure;
    }

    /** A record of one of the streams cannot be read: all of them end. */
    void broken(Throwable cause) {
        control.failed(cause);
    }

    /** It has ended. */
    void forget(PartitionSource<K, V, R> stream) {
        live.remove(stream);
    }

    // ---------------------------------------------------------------- the drain

    @Override
    void run(Runnable drain) {
        threads.execute(drain);
    }

    @Override
    public void onNext(@Nullable Object nothing) {
        throw new IllegalStateException("a source has no upstream");
    }

    @Override
    void start() {
        control.onStop(this::tellAll);
        control.start(() -> consumer.apply(this));
    }

    @Override
    void step() {
        while (hasDemand() && !isStopping()) {
            PartitionSource<K, V, R> stream = opened.poll();
            if (stream == null) {
                return;
            }
            if (!stream.isGivenUp()) {
                emit(new PartitionStream<>(stream.feed().partition(), NoUpstream.source(stream, stream)));
            }
        }
        if (isStopping() && !isOver()) {
            Throwable cause = consumerFailure;
            if (cause == null) {
                complete();
            } else {
                fail(cause);
            }
        }
    }

    @Override
    void release() {
        opened.clear();
        control.close();
    }
}
