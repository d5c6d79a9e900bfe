package dev.laneway.engine.track;

import dev.laneway.NotBefore;
import dev.laneway.Options;
import dev.laneway.Ordering;
import dev.laneway.engine.runtime.WakeSignal;
import java.util.PriorityQueue;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Records of a track whose time has not come, see {@link NotBefore}: each in a lane that waits, or the one at the
 * cursor, which stays there. Guarded by the track's guard; at the two times anybody may glance. Times are in
 * milliseconds since 1970: so a clock that is set counts at once.
 */
final class Delays<L> {
    static final long NEVER = Long.MAX_VALUE;

    /** @param lane null for the record at the cursor */
    private record Start<L>(
            long millis, long order, @Nullable L lane) implements Comparable<Start<L>> {
        @Override
        public int compareTo(Start<L> other) {
            int byTime = Long.compare(millis, other.millis);
            return byTime != 0 ? byTime : Long.compare(order, other.order);
        }
    }

    /** Whether times rise along the partition. */
    final boolean isRising;
    /** Whether with one record all behind it wait. */
    private final boolean isOneLane;

    private final LongSupplier clock;
    private final WakeSignal wake;
    private final PriorityQueue<Start<L>> starts = new PriorityQueue<>();
    private long order;
    private int lanes;
    private int longWaits;
    private volatile long next = NEVER;
    private volatile long partitionWaitsUntil;

    Delays(Options options, LongSupplier clock, WakeSignal wake) {
        this.isRising = options.notBefore() != null && options.notBefore().isRising();
        this.isOneLane = options.ordering() == Ordering.PARTITION;
        this.clock = clock;
        this.wake = wake;
    }

    /** When the first of them may start. */
    long next() {
        return next;
    }

    /** Until when the whole partition waits; 0 where it does not. */
    long partitionWaitsUntil() {
        return partitionWaitsUntil;
    }

    boolean isDue(ConsumerRecord<byte[], byte[]> record) {
        long notBefore = HeldRecord.notBefore(record);
        return notBefore == HeldRecord.AT_ONCE || notBefore <= clock.getAsLong();
    }

    long now() {
        return clock.getAsLong();
    }

    /** One lane more waits for seconds or longer. */
    void waitsLong() {
        longWaits++;
    }

    /** One less. */
    void waitsNoMore() {
        longWaits--;
    }

    boolean someWaitLong() {
        return longWaits > 0;
    }

    /** How many lanes wait for the time of their record. */
    int lanes() {
        return lanes;
    }

    /** The lane waits for the time of its record, and with it the whole partition where that is one lane. */
    void add(L lane, ConsumerRecord<byte[], byte[]> record) {
        lanes++;
        add(HeldRecord.notBefore(record), lane, isOneLane);
    }

    /** The cursor waits for the time of its record. */
    void addCursor(ConsumerRecord<byte[], byte[]> record) {
        add(HeldRecord.notBefore(record), null, true);
    }

    private void add(long millis, @Nullable L lane, boolean isWholePartition) {
        starts.add(new Start<>(millis, order++, lane));
        if (isWholePartition) {
            partitionWaitsUntil = millis;
        }
        if (millis < next) {
            next = millis;
            wake.signal();
        }
    }

    /**
     * Lets go what may start now.
     *
     * @param woken takes the lanes
     * @return whether the cursor may go on
     */
    boolean start(long nowMillis, Consumer<L> woken) {
        boolean cursor = false;
        Start<L> first = starts.peek();
        while (first != null && first.millis <= nowMillis) {
            starts.remove();
            L lane = first.lane;
            if (first.millis == partitionWaitsUntil) {
                partitionWaitsUntil = 0;
            }
            if (lane == null) {
                cursor = true;
            } else {
                lanes--;
                woken.accept(lane);
            }
            first = starts.peek();
        }
        next = first == null ? NEVER : first.millis;
        return cursor;
    }

    void clear() {
        starts.clear();
        lanes = 0;
        next = NEVER;
        partitionWaitsUntil = 0;
    }
}
