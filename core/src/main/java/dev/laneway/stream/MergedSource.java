package dev.laneway.stream;

import dev.laneway.engine.FeedingConsumer;
import dev.laneway.engine.handle.StreamFeed;
import dev.laneway.engine.handle.StreamOutlet;
import dev.laneway.engine.handle.StreamReader;
import dev.laneway.stream.runtime.StreamTimer;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * The stage behind the sources of {@link KafkaSource} that deliver all partitions to one subscriber. Partitions take
 * turns; each turn delivers what one poll returned of one partition, in order.
 */
final class MergedSource<K, V, R> extends SourceDelivery<K, V, R> implements StreamOutlet {
    private final ConsumerControl control;
    private final Function<StreamOutlet, FeedingConsumer> consumer;
    private final Queue<StreamFeed> opened = new ConcurrentLinkedQueue<>();
    private volatile boolean consumerEnded;
    private volatile @Nullable Throwable consumerFailure;

    // Only the drain touches these.
    private final List<StreamFeed> feeds = new ArrayList<>();
    private int first;

    /**
     * Makes a stage.
     *
     * @param consumer starts the consumer that feeds the outlet
     * @param threads runs each drain on a thread that may block
     * @param alarm starts the next attempt to read a waiting record
     */
    MergedSource(
            StreamReader<K, V> reader,
            BiFunction<? super ConsumerRecord<K, V>, ? super StreamFeed, ? extends R> shape,
            ConsumerControl control,
            Function<StreamOutlet, FeedingConsumer> consumer,
            Executor threads,
            StreamTimer alarm) {
        super(reader, shape, threads, alarm);
        this.control = control;
        this.consumer = consumer;
    }

    // ---------------------------------------------------------------- the consumer

    @Override
    public void opened(StreamFeed feed) {
        feed.listen(this::signal);
        opened.add(feed);
        signal();
    }

    @Override
    public void ended(@Nullable Throwable failure) {
        consumerFailure = failure;
        consumerEnded = true;
        signal();
    }

    @Override
    public String fullStages() {
        return control.pipeline().fullStages();
    }

    // ---------------------------------------------------------------- the drain

    @Override
    boolean isStopping() {
        return consumerEnded || control.isStopping();
    }

    @Override
    void start() {
        control.onStop(this::signal);
        control.start(() -> consumer.apply(this));
    }

    @Override
    void step() {
        giveBackWaiting(false);
        boolean more = true;
        for (int round = 0; more && demand() > 0 && !isStopping(); round++) {
            if (round == ROUNDS) {
                signal(); // Signals are counted, and the count starts over with each step.
                return;
            }
            more = false;
            takeIn();
            for (int i = feeds.size(); i > 0 && demand() > 0; i--) {
                first = first + 1 < feeds.size() ? first + 1 : 0;
                more |= pour(feeds.get(first));
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

    private void takeIn() {
        feeds.removeIf(StreamFeed::isClosed);
        for (StreamFeed feed = opened.poll(); feed != null; feed = opened.poll()) {
            feeds.add(feed);
        }
    }

    @Override
    void release() {
        giveBackWaiting(true);
        feeds.clear();
        opened.clear();
        control.close();
    }
}
