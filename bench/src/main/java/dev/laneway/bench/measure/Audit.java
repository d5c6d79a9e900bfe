package dev.laneway.bench.measure;

import dev.laneway.cli.workload.Payload;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Checks every record: that it comes once, and that it begins only when its predecessor in its partition or key has
 * ended, where that is promised. Thread-safe.
 */
public final class Audit {
    private static final int BEGUN = 1;
    private static final int ENDED = 2;

    private final Order order;
    /** For each partition and offset: 0, started or ended. */
    private final List<AtomicIntegerArray> states = new ArrayList<>();
    /** For each key, the records that have begun and those that have ended, added up: even between two records. */
    private final AtomicIntegerArray keys;

    private final AtomicReference<@Nullable String> violation = new AtomicReference<>();

    /**
     * Expects a topic.
     *
     * @param ends the end offset of each partition; the first is 0
     */
    public Audit(Order order, List<Long> ends, int keys) {
        this.order = order;
        for (long end : ends) {
            states.add(new AtomicIntegerArray(Math.toIntExact(end)));
        }
        this.keys = new AtomicIntegerArray(order == Order.KEY ? keys : 0);
    }

    void begin(ConsumerRecord<byte[], byte[]> record) {
        AtomicIntegerArray partition = states.get(record.partition());
        int offset = Math.toIntExact(record.offset());
        if (!partition.compareAndSet(offset, 0, BEGUN)) {
            violated("came again", record);
        }
        if (order == Order.PARTITION && offset > 0 && partition.get(offset - 1) != ENDED) {
            violated("began before its predecessor in the partition had ended", record);
        }
        if (order == Order.KEY) {
            Payload payload = Payload.of(record.value());
            if (!keys.compareAndSet(payload.key(), 2 * payload.sequence(), 2 * payload.sequence() + 1)) {
                violated("began before its predecessor in its key had ended", record);
            }
        }
    }

    void end(ConsumerRecord<byte[], byte[]> record) {
        states.get(record.partition()).set(Math.toIntExact(record.offset()), ENDED);
        if (order == Order.KEY) {
            keys.incrementAndGet(Payload.of(record.value()).key());
        }
    }

    private void violated(String how, ConsumerRecord<byte[], byte[]> record) {
        violation.compareAndSet(
                null, "the record at " + record.topic() + "-" + record.partition() + "@" + record.offset() + " " + how);
    }

    /** The first thing that is wrong; null while nothing is. */
    public @Nullable String violation() {
        return violation.get();
    }

    /** Records that have ended. */
    public long ended() {
        long ended = 0;
        for (AtomicIntegerArray partition : states) {
            for (int offset = 0; offset < partition.length(); offset++) {
                ended += partition.get(offset) == ENDED ? 1 : 0;
            }
        }
        return ended;
    }
}
