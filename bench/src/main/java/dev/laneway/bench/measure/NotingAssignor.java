package dev.laneway.bench.measure;

import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.RangeAssignor;

/** Notes when a consumer of this process was assigned its partitions, whatever library it belongs to. Thread-safe. */
public final class NotingAssignor extends RangeAssignor {
    private static final AtomicLong FIRST_NANOS = new AtomicLong();

    /** When it was first assigned some, as {@link System#nanoTime} tells it; 0 before. */
    public static long firstNanos() {
        return FIRST_NANOS.get();
    }

    @Override
    public void onAssignment(Assignment assignment, ConsumerGroupMetadata metadata) {
        FIRST_NANOS.compareAndSet(0, System.nanoTime());
    }
}
