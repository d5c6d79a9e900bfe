package dev.laneway.proof;

import dev.laneway.Outcome;
import dev.laneway.OutcomeHandler;
import dev.laneway.RecordContext;
import dev.laneway.cli.workload.Payload;
import dev.laneway.cli.workload.Simulated;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * The handler of a soak: waits, fails now and then, measures the latency of each record, and checks that none is lost,
 * duplicated or out of its key's order. Thread-safe.
 */
final class SoakHandler implements OutcomeHandler<byte[], byte[]> {
    private static final long LONGEST_NANOS = Duration.ofHours(1).toNanos();
    private static final int DIGITS = 3;

    private final Duration work;
    private final double nanosPerRecord;
    private final LongSupplier loadStartNanos;
    private final Recorder latencies = new Recorder(LONGEST_NANOS, DIGITS);
    private final AtomicLongArray done;
    /** By key: the number of the record that must be next. */
    private final AtomicLongArray next;

    private final LongAdder finished = new LongAdder();
    private final LongAdder duplicates = new LongAdder();
    private final LongAdder violations = new LongAdder();
    private final LongAdder poisoned = new LongAdder();

    /**
     * A handler for one load.
     *
     * @param mostRecords more than the load will have
     * @param rate records a second; record i is meant to be sent i / rate after the load's start
     * @param loadStartNanos when the load started, as {@link System#nanoTime} tells it
     */
    SoakHandler(SoakPlan plan, long mostRecords, double rate, LongSupplier loadStartNanos) {
        this.work = plan.work();
        this.nanosPerRecord = TimeUnit.SECONDS.toNanos(1) / rate;
        this.loadStartNanos = loadStartNanos;
        this.done = new AtomicLongArray(Math.toIntExact(mostRecords / Long.SIZE + 1));
        this.next = new AtomicLongArray(plan.keys());
    }

    @Override
    public Outcome handle(ConsumerRecord<byte[], byte[]> record, RecordContext context) throws InterruptedException {
        Payload payload = Payload.of(record.value());
        if (next.get(payload.key()) != payload.sequence() && !isDone(payload.index())) {
            violations.increment();
        }
        Simulated.work(work);
        boolean poison = Simulated.chance(record.partition(), record.offset(), 0) < SoakPlan.POISON_SHARE;
        boolean last = context.attempt() == SoakPlan.ATTEMPTS;
        if (poison
                || (!last
                        && Simulated.fails(
                                SoakPlan.FAIL_SHARE, record.partition(), record.offset(), context.attempt()))) {
            if (last) {
                poisoned.increment();
                end(payload);
            }
            throw new Simulated.Failure(context.attempt());
        }
        end(payload);
        return Outcome.done();
    }

    private void end(Payload payload) {
        long meant = loadStartNanos.getAsLong() + (long) (payload.index() * nanosPerRecord);
        latencies.recordValue(Math.clamp(System.nanoTime() - meant, 0, LONGEST_NANOS));
        if (isDone(payload.index())) {
            duplicates.increment();
        } else {
            int word = Math.toIntExact(payload.index() / Long.SIZE);
            done.getAndAccumulate(word, 1L << (payload.index() % Long.SIZE), (before, bit) -> before | bit);
            finished.increment();
        }
        next.accumulateAndGet(payload.key(), payload.sequence() + 1L, Math::max);
    }

    private boolean isDone(long index) {
        return (done.get(Math.toIntExact(index / Long.SIZE)) & 1L << (index % Long.SIZE)) != 0;
    }

    /** The latencies of records that ended since the last call, from when they were meant to be sent. */
    Histogram latencies() {
        return latencies.getIntervalHistogram();
    }

    /** Records that came to their end, each counted once. */
    long finished() {
        return finished.sum();
    }

    long duplicates() {
        return duplicates.sum();
    }

    long violations() {
        return violations.sum();
    }

    /** Records whose last attempt failed. */
    long poisoned() {
        return poisoned.sum();
    }
}
