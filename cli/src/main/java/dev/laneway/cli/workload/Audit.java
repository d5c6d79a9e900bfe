package dev.laneway.cli.workload;

import dev.laneway.Ordering;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Checks from inside the handlers what was promised of loaded records (see {@link Payload}): each handled once, none
 * lost, and those that must not overlap one after the other. Thread-safe, and cheap enough for millions of records a
 * second: a bit per record and a number per lane.
 */
public final class Audit {
    private final Ordering ordering;
    private final long records;
    private final AtomicLongArray seen;
    /** By key or by partition: the position that must start next. Set when a record ends, so an overlap shows too. */
    private final AtomicLongArray next;

    private final LongAdder started = new LongAdder();
    private final LongAdder ended = new LongAdder();
    private final LongAdder done = new LongAdder();
    private final LongAdder violations = new LongAdder();
    private final LongAdder duplicates = new LongAdder();
    private final AtomicLong firstStart = new AtomicLong(Long.MAX_VALUE);
    private final LongAccumulator lastEnd = new LongAccumulator(Math::max, Long.MIN_VALUE);

    /**
     * Expects a topic that was loaded once.
     *
     * @param records how many were loaded
     */
    public Audit(Ordering ordering, long records, int keys, int partitions) {
        this.ordering = ordering;
        this.records = records;
        this.seen = new AtomicLongArray(Math.toIntExact((records + Long.SIZE - 1) / Long.SIZE));
        this.next = new AtomicLongArray(
                switch (ordering) {
                    case KEY -> keys;
                    case PARTITION -> partitions;
                    case UNORDERED -> 0;
                });
    }

    /** A handler's body, checked at its start and at its end. */
    public interface Body {
        /** Does the work. */
        void run() throws InterruptedException;
    }

    /**
     * Runs the body of a record's handler between two checks. An attempt that throws ends nothing: it will be made
     * again.
     */
    public void handle(ConsumerRecord<byte[], byte[]> record, Body body) throws InterruptedException {
        if (firstStart.getPlain() == Long.MAX_VALUE) {
            firstStart.compareAndSet(Long.MAX_VALUE, System.nanoTime());
        }
        Payload payload = Payload.of(record.value());
        started.increment();
        boolean again = isSeen(payload.index());
        if (again) {
            duplicates.increment();
        } else {
            checkTurn(record, payload);
        }
        try {
            body.run();
        } finally {
            ended.increment();
        }
        endTurn(record, payload);
        lastEnd.accumulate(System.nanoTime());
        if (!again) {
            done.increment();
        }
    }

    private boolean isSeen(long index) {
        int word = Math.toIntExact(index / Long.SIZE);
        long bit = 1L << index % Long.SIZE;
        return (seen.getAndAccumulate(word, bit, (before, added) -> before | added) & bit) != 0;
    }

    private void checkTurn(ConsumerRecord<byte[], byte[]> record, Payload payload) {
        boolean inTurn = switch (ordering) {
            case KEY -> next.get(payload.key()) == payload.sequence();
            case PARTITION -> next.get(record.partition()) == record.offset();
            case UNORDERED -> true;
        };
        if (!inTurn) {
            violations.increment();
        }
    }

    private void endTurn(ConsumerRecord<byte[], byte[]> record, Payload payload) {
        switch (ordering) {
            case KEY -> next.accumulateAndGet(payload.key(), payload.sequence() + 1L, Math::max);
            case PARTITION -> next.accumulateAndGet(record.partition(), record.offset() + 1, Math::max);
            case UNORDERED -> {}
        }
    }

    /** Records handled to their end, each counted once. */
    long done() {
        return done.sum();
    }

    /** Handlers that run now. */
    long running() {
        return Math.max(0, started.sum() - ended.sum());
    }

    /**
     * Records that started while an earlier one of their lane had not ended, or before it. Nothing is promised
     * UNORDERED.
     */
    public long violations() {
        return violations.sum();
    }

    /** Records that were handled again. */
    public long duplicates() {
        return duplicates.sum();
    }

    /** Records that were not handled to their end. */
    public long lost() {
        return records - done();
    }

    /** When the first handler started, as {@link System#nanoTime} tells it; only after one did. */
    long firstStartNanos() {
        return firstStart.get();
    }

    /** From the first handler's start to the last one's end; zero before any ended. */
    Duration worked() {
        long last = lastEnd.get();
        return last == Long.MIN_VALUE ? Duration.ZERO : Duration.ofNanos(last - firstStart.get());
    }
}
