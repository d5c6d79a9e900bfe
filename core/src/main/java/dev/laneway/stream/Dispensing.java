package dev.laneway.stream;

import dev.laneway.engine.Feed;
import dev.laneway.engine.Feeding;
import dev.laneway.engine.Outlet;
import dev.laneway.engine.StreamReader;
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
 * The stage behind {@link KafkaSource#partitioned}: a stream for each assignment of each partition. One that is given
 * up before anybody took its stream never goes down.
 */
final class Dispensing<K, V, R> extends Operator<Object, PartitionStream<R>> implements Outlet {
    private final StreamReader<K, V> reader;
    private final BiFunction<? super ConsumerRecord<K, V>, ? super Feed, ? extends R> shape;
    private final ConsumerControl control;
    private final Function<Outlet, Feeding> consumer;
    private final Executor threads;
    private final Alarm alarm;
    private final Queue<Dispensed<K, V, R>> opened = new ConcurrentLinkedQueue<>();
    /** Streams that have not ended, in the order of their beginning: a simulated run must repeat. */
    private final Set<Dispensed<K, V, R>> live = new CopyOnWriteArraySet<>();

    private volatile boolean consumerEnded;
    private volatile @Nullable Throwable consumerFailure;

    /**
     * Makes a stage.
     *
     * @param consumer starts one that feeds the outlet
     * @param threads gives each drain, its own and those of its streams, a thread on which it may wait
     * @param alarm says when a record that waits is read again
     */
    Dispensing(
            StreamReader<K, V> reader,
            BiFunction<? super ConsumerRecord<K, V>, ? super Feed, ? extends R> shape,
            ConsumerControl control,
            Function<Outlet, Feeding> consumer,
            Executor threads,
            Alarm alarm) {
        this.reader = reader;
        this.shape = shape;
        this.control = control;
        this.consumer = consumer;
        this.threads = threads;
        this.alarm = alarm;
    }

    // ---------------------------------------------------------------- the consumer

    @Override
    public void opened(Feed feed) {
        Dispensed<K, V, R> stream = new Dispensed<>(reader, shape, feed, this, threads, alarm);
        opened.removeIf(Dispensed::isGivenUp);
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

    private void tellAll() {
        live.forEach(Dispensed::news);
        signal();
    }

    // ---------------------------------------------------------------- its streams

    /** Whether no stream may deliver anything more. */
    boolean isStopping() {
        return consumerEnded || control.isStopping();
    }

    /** Whether the whole has failed with this, and has said so. */
    boolean isKnown(Throwable cause) {
        return cause.equals(control.failure()) || cause.equals(consumerFailure);
    }

    /** The stages of the stream whose elements are streams. */
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
    void forget(Dispensed<K, V, R> stream) {
        live.remove(stream);
    }

    // ---------------------------------------------------------------- the drain

    @Override
    void run(Runnable drain) {
        threads.execute(drain);
    }

    @Override
    public void onNext(@Nullable Object nothing) {
        throw new IllegalStateException("nobody is above a source");
    }

    @Override
    void start() {
        control.onStop(this::tellAll);
        control.start(() -> consumer.apply(this));
    }

    @Override
    void step() {
        while (hasDemand() && !isStopping()) {
            Dispensed<K, V, R> stream = opened.poll();
            if (stream == null) {
                return;
            }
            if (!stream.isGivenUp()) {
                emit(new PartitionStream<>(stream.feed().partition(), NothingAbove.source(stream, stream)));
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
