package dev.laneway.engine.handle;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/** Records of one partition that a stream delivers one after the other: a part of what a poll returned. Thread-safe. */
public final class RecordSlice {
    private static final int SEALED = -1;

    private final List<ConsumerRecord<byte[], byte[]>> records;
    private final int from;
    private final int to;
    /** The record that may begin next; null where nobody asks which have begun. */
    private final @Nullable AtomicInteger next;

    /** @param counts whether {@link #seal} will be asked for */
    RecordSlice(List<ConsumerRecord<byte[], byte[]>> records, int from, int to, boolean counts) {
        this.records = records;
        this.from = from;
        this.to = to;
        this.next = counts ? new AtomicInteger(from) : null;
    }

    /** What the poll returned, in offset order. */
    public List<ConsumerRecord<byte[], byte[]>> records() {
        return records;
    }

    /** The first one to deliver. */
    public int from() {
        return from;
    }

    /** The one after the last one. */
    public int to() {
        return to;
    }

    /** Before each record, in order: whether it may be delivered. The run ends before one that may not. */
    public boolean begin(int index) {
        return next == null || next.compareAndSet(index, index + 1);
    }

    /** Lets no further record begin; the first one that has not. Asked once. */
    int seal() {
        return next == null ? from : next.getAndSet(SEALED);
    }
}
