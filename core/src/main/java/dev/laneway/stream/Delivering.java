package dev.laneway.stream;

import dev.laneway.engine.Feed;
import dev.laneway.engine.Reader;
import dev.laneway.engine.Run;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.BiFunction;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Delivers what feeds hold ready, as far as there is demand: takes a run of records at once, deserialises each, passes
 * it on. So a partition's lock is taken once for many records, and the consumer's thread deserialises nothing.
 *
 * <p><b>Threads.</b> The drain runs on a virtual thread of its own, whoever brings the news: the consumer's thread must
 * not wait, and a subscriber's has other things to do. A subscriber may wait in {@code onNext}.
 */
abstract class Delivering<K, V, R> extends Operator<Object, R> {
    /** How many runs one step may deliver. */
    static final int ROUNDS = 1_000;

    private final Reader<K, V> reader;
    private final BiFunction<? super ConsumerRecord<K, V>, ? super Feed, ? extends R> shape;
    private final Executor threads;

    /** @param threads gives each drain a thread, on which it may wait */
    Delivering(
            Reader<K, V> reader,
            BiFunction<? super ConsumerRecord<K, V>, ? super Feed, ? extends R> shape,
            Executor threads) {
        this.reader = reader;
        this.shape = shape;
        this.threads = threads;
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
        throw new IllegalStateException("nobody is above a source");
    }

    /** Delivers what can be delivered of one feed at once; false when that was nothing. The drain only. */
    final boolean pour(Feed feed) {
        Run run = feed.take(demand());
        if (run == null) {
            return false;
        }
        List<ConsumerRecord<byte[], byte[]>> records = run.records();
        int at = run.from();
        int to = run.to();
        Throwable unreadable = null;
        try {
            while (at < to && !isOver() && !isStopping() && !feed.isClosed() && run.begin(at)) {
                R element = shape.apply(reader.read(records.get(at)), feed);
                at++;
                emit(element);
            }
        } catch (Throwable thrown) {
            unreadable = thrown;
        }
        if (at == to) {
            feed.delivered();
        } else {
            feed.giveBack(run, at);
        }
        if (unreadable != null) {
            broken(unreadable);
            fail(unreadable);
        }
        return true;
    }
}
