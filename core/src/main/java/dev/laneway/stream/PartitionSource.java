package dev.laneway.stream;

import dev.laneway.Health;
import dev.laneway.StreamException;
import dev.laneway.engine.handle.StreamFeed;
import dev.laneway.engine.handle.StreamReader;
import dev.laneway.stream.runtime.StreamTimer;
import dev.laneway.stream.runtime.SystemStreamTimer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The stage behind a {@link PartitionStream}, and its control. It ends with the feed of its partition. */
final class PartitionSource<K, V, R> extends SourceDelivery<K, V, R> implements SourceControl {
    private static final Logger log = LoggerFactory.getLogger(PartitionSource.class);

    private final StreamFeed feed;
    private final PartitionedSource<K, V, R> all;
    private final CompletableFuture<@Nullable Void> completion = new CompletableFuture<>();
    private volatile boolean stopped;
    private final Pipeline pipeline;
    private final AtomicReference<@Nullable Throwable> cause = new AtomicReference<>();

    PartitionSource(
            StreamReader<K, V> reader,
            BiFunction<? super ConsumerRecord<K, V>, ? super StreamFeed, ? extends R> shape,
            StreamFeed feed,
            PartitionedSource<K, V, R> all,
            Executor threads,
            StreamTimer alarm) {
        super(reader, shape, threads, alarm);
        this.feed = feed;
        this.all = all;
        this.pipeline = new Pipeline(all.pipeline());
    }

    StreamFeed feed() {
        return feed;
    }

    /** Whether the partition no longer belongs to this consumer. */
    boolean isGivenUp() {
        return feed.isClosed();
    }

    /** Records have come, or the end has. */
    void news() {
        if (feed.isClosed()) {
            all.forget(this); // Nobody may ever have subscribed to it.
        }
        signal();
    }

    @Override
    boolean isStopping() {
        return stopped || feed.isClosed() || all.isStopping();
    }

    @Override
    void broken(Throwable unreadable) {
        all.broken(unreadable);
    }

    @Override
    void start() {
        // The feed runs already.
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
            more = pour(feed);
            if (!more) {
                feed.want();
            }
        }
        if (isStopping() && !isOver()) {
            Throwable failure = all.failure();
            if (failure == null) {
                complete();
            } else {
                fail(failure);
            }
        }
    }

    @Override
    void release() {
        giveBackWaiting(true);
        all.forget(this);
        if (!all.isStopping()) {
            feed.cancel();
        }
        Throwable failure = cause.get();
        if (failure == null) {
            completion.complete(null);
        } else {
            completion.completeExceptionally(failure);
        }
    }

    // ---------------------------------------------------------------- the control

    @Override
    public void stop() {
        stopped = true;
        signal();
    }

    @Override
    public CompletionStage<@Nullable Void> drainAndShutdown(Duration limit) {
        stop();
        SystemStreamTimer.REAL.unless(
                completion,
                limit,
                () -> failed(new StreamException("the subscriber of " + feed.partition() + " did not take its last"
                        + " element within the drain limit " + limit
                        + ": raise it, or look for what it waits for")));
        return completion();
    }

    @Override
    public Pipeline pipeline() {
        return pipeline;
    }

    @Override
    public void failed(Throwable failure) {
        if (!cause.compareAndSet(null, failure)) {
            return;
        }
        if (!all.isKnown(failure)) {
            log.error("the stream of {} has failed: {}", feed.partition(), failure.getMessage(), failure);
        }
        feed.abandon();
        pipeline.abort(failure);
        // The subscriber may block for long.
        completion.completeExceptionally(failure);
    }

    @Override
    public boolean isShutdown() {
        return completion.isDone();
    }

    @Override
    public CompletionStage<@Nullable Void> completion() {
        return completion.minimalCompletionStage();
    }

    @Override
    public Health health() {
        Throwable failure = cause.get();
        if (failure != null) {
            return new Health(
                    Health.Status.DOWN,
                    List.of(Health.Cause.MEMBER_FAILED.reason(
                            "the stream of " + feed.partition() + " has failed: " + failure)));
        }
        return completion.isDone()
                ? new Health(
                        Health.Status.DOWN,
                        List.of(Health.Cause.MEMBER_CLOSED.reason("the stream of " + feed.partition() + " has ended")))
                : new Health(Health.Status.UP, List.of());
    }
}
