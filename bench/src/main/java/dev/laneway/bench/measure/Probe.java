package dev.laneway.bench.measure;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * The handler that every peer calls. It counts; an {@link Audit}, which costs more and is not measured, also checks
 * each record. Thread-safe.
 */
public final class Probe {
    private final Work work;
    private final @Nullable Audit audit;
    private final @Nullable Listener listener;
    private final LongAdder done = new LongAdder();
    private final AtomicLong firstNanos = new AtomicLong();

    public Probe(Work work, @Nullable Audit audit) {
        this(work, audit, null);
    }

    public Probe(Work work, @Nullable Audit audit, @Nullable Listener listener) {
        this.work = work;
        this.audit = audit;
        this.listener = listener;
    }

    /** Hears of each record. */
    public interface Listener {
        /** A handler starts. */
        default void started(byte[] value) {}

        /** A handler has ended. */
        default void ended(byte[] value) {}
    }

    public Work work() {
        return work;
    }

    /** Handles a record on this thread. */
    public void handle(ConsumerRecord<byte[], byte[]> record) throws InterruptedException {
        begin(record);
        work.run(record);
        end(record);
    }

    /** {@link #handle} where an interrupt is a failure. */
    public void handleUninterrupted(ConsumerRecord<byte[], byte[]> record) {
        try {
            handle(record);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while handling a record", interrupted);
        }
    }

    /** Handles a record without holding this thread while it waits. */
    public CompletionStage<@Nullable Void> handleLater(ConsumerRecord<byte[], byte[]> record) {
        begin(record);
        return work.later(record, () -> end(record));
    }

    private void begin(ConsumerRecord<byte[], byte[]> record) {
        if (firstNanos.getPlain() == 0) {
            firstNanos.compareAndSet(0, System.nanoTime());
        }
        if (listener != null) {
            listener.started(record.value());
        }
        if (audit != null) {
            audit.begin(record);
        }
    }

    private void end(ConsumerRecord<byte[], byte[]> record) {
        if (audit != null) {
            audit.end(record);
        }
        if (listener != null) {
            listener.ended(record.value());
        }
        done.increment();
    }

    /** Records that are handled. */
    public long done() {
        return done.sum();
    }

    /** When the first record began, as {@link System#nanoTime} tells it; 0 before. */
    public long firstNanos() {
        return firstNanos.get();
    }
}
