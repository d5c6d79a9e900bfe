package dev.laneway.stream;

import dev.laneway.RecordDeserializationException;
import dev.laneway.engine.handle.RecordSlice;
import dev.laneway.engine.handle.StreamFeed;
import dev.laneway.engine.handle.StreamReader;
import dev.laneway.stream.runtime.StreamTimer;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.BiFunction;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Delivers the records of feeds, as far as there is demand: takes a run of records, deserialises each and emits it. So
 * a partition's lock is taken once for many records, and the consumer's thread does not deserialise.
 *
 * <p><b>Threads.</b> The drain always runs on its own virtual thread, since neither the consumer's thread nor one of
 * the subscriber's may block. A subscriber may block in {@code onNext}.
 */
abstract class SourceDelivery<K, V, R> extends Operator<Object, R> {
    /** How many runs one step may deliver. */
    static final int ROUNDS = 1_000;

    private final StreamReader<K, V> reader;
    private final BiFunction<? super ConsumerRecord<K, V>, ? super StreamFeed, ? extends R> shape;
    private final Executor threads;
    private final StreamTimer alarm;
    /** Partitions that wait to read a record again. The drain only. */
    private final Map<StreamFeed, Waiting> waits = new HashMap<>();

    /**
     * A stage that delivers.
     *
     * @param threads runs each drain on a thread that may block
     * @param alarm starts the next attempt to read a waiting record
     */
    SourceDelivery(
            StreamReader<K, V> reader,
            BiFunction<? super ConsumerRecord<K, V>, ? super StreamFeed, ? extends R> shape,
            Executor threads,
            StreamTimer alarm) {
        this.reader = reader;
        this.shape = shape;
        this.threads = threads;
        this.alarm = alarm;
    }

    /** Whether nothing more may be delivered. Asked before each record. */
    abstract boolean isStopping();

    /** A record cannot be read; the stream fails next. */
    void broken(Throwable cause) {}

    @Override
    void run(Runnable drain) {
        threads.execute(drain);
    }

    @Override
    public final void onNext(@Nullable Object nothing) {
        throw new IllegalStateException("a source has no upstream");
    }

    /** Delivers the next run of one feed; false if there was nothing to deliver. The drain only. */
    final boolean pour(StreamFeed feed) {
        Waiting waiting = waits.isEmpty() ? null : waits.get(feed);
        if (waiting != null) {
            if (!waiting.isDue) {
                return false;
            }
            waits.remove(feed);
        }
        RecordSlice run = waiting == null ? feed.take(demand()) : waiting.run;
        if (run == null) {
            return false;
        }
        int failures = waiting == null ? 0 : waiting.failures;
        int at = waiting == null ? run.from() : waiting.at;
        int first = at;
        // A run that has waited was taken for demand that others may have used since.
        int to = waiting == null ? run.to() : at + (int) Math.min(run.to() - at, demand());
        List<ConsumerRecord<byte[], byte[]>> records = run.records();
        while (at < to && isDelivering(feed)) {
            R element;
            try {
                element = shape.apply(reader.read(records.get(at)), feed);
            } catch (Throwable unreadable) {
                if (waitsFor(feed, run, at, unreadable, ++failures)) {
                    return true;
                }
                if (!run.begin(at)) {
                    break;
                }
                if (reader.skip(feed, records.get(at), unreadable)) {
                    at++;
                    failures = 0;
                    continue;
                }
                feed.giveBack(run, at);
                broken(unreadable);
                fail(unreadable);
                return true;
            }
            if (!run.begin(at)) { // Only now: what has begun and is read again would be lost.
                break;
            }
            at++;
            failures = 0;
            emit(element);
        }
        if (at == run.to()) {
            feed.delivered();
        } else if (at == to && isDelivering(feed)) {
            waits.put(feed, new Waiting(run, at, failures, true)); // Until there is demand.
            return at > first;
        } else {
            feed.giveBack(run, at);
        }
        return true;
    }

    private boolean isDelivering(StreamFeed feed) {
        return !isOver() && !isStopping() && !feed.isClosed();
    }

    /** Whether the partition waits until this record can be read. */
    private boolean waitsFor(StreamFeed feed, RecordSlice run, int at, Throwable unreadable, int failures) {
        Duration pause = unreadable instanceof RecordDeserializationException failure
                ? reader.pause(feed, run.records().get(at), failure, failures)
                : null;
        if (pause == null) {
            return false;
        }
        Waiting waiting = new Waiting(run, at, failures, false);
        waits.put(feed, waiting);
        var _ = alarm.in(pause.toNanos(), () -> {
            waiting.isDue = true;
            signal();
        });
        return true;
    }

    /**
     * Gives back waiting runs of partitions that deliver nothing more, so that no rebalance waits for them. The drain
     * only.
     */
    final void giveBackWaiting(boolean all) {
        waits.entrySet().removeIf(entry -> {
            boolean isOver = all || entry.getKey().isClosed();
            if (isOver) {
                entry.getKey().giveBack(entry.getValue().run, entry.getValue().at);
            }
            return isOver;
        });
    }

    /** A run whose next record is read again when it is due. */
    private static final class Waiting {
        private final RecordSlice run;
        private final int at;
        private final int failures;
        private volatile boolean isDue;

        Waiting(RecordSlice run, int at, int failures, boolean isDue) {
            this.run = run;
            this.at = at;
            this.failures = failures;
            this.isDue = isDue;
        }
    }
}
