package dev.laneway.stream;

import dev.laneway.Health;
import dev.laneway.StreamException;
import dev.laneway.engine.Feed;
import dev.laneway.engine.Reader;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.BiFunction;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/** The stage behind a {@link PartitionStream}, and its control. It ends with its feed. */
final class Dispensed<K, V, R> extends Delivering<K, V, R> implements Control {
    private final Feed feed;
    private final Dispensing<K, V, R> all;
    private final CompletableFuture<@Nullable Void> completion = new CompletableFuture<>();
    private volatile boolean stopped;
    private volatile @Nullable Throwable cause;

    Dispensed(
            Reader<K, V> reader,
            BiFunction<? super ConsumerRecord<K, V>, ? super Feed, ? extends R> shape,
            Feed feed,
            Dispensing<K, V, R> all,
            Executor threads) {
        super(reader, shape, threads);
        this.feed = feed;
        this.all = all;
    }

    Feed feed() {
        return feed;
    }

    /** Whether the partition is this consumer's no more. */
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
        cause = unreadable;
        all.broken(unreadable);
    }

    @Override
    void start() {
        // The feed runs already.
    }

    @Override
    void step() {
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
                cause = failure;
                fail(failure);
            }
        }
    }

    @Override
    void release() {
        all.forget(this);
        if (!all.isStopping()) {
            feed.cancel();
        }
        Throwable failure = cause;
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
        CompletableFuture<@Nullable Void> limited = completion.copy();
        AlarmClock.REAL.limit(
                limited,
                limit,
                () -> new StreamException("the subscriber of " + feed.partition() + " did not take its last element"
                        + " within the drain limit " + limit + ": raise it, or look for what it waits for"));
        return limited.minimalCompletionStage();
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
        return completion.isDone()
                ? new Health(Health.Status.DOWN, List.of("the stream of " + feed.partition() + " has ended"))
                : new Health(Health.Status.UP, List.of());
    }
}
