package dev.laneway.cli;

import dev.laneway.RecordHandler;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** A handler that is measured, and that knows when the last records have come. Thread-safe. */
sealed interface BenchProbe<K, V> extends RecordHandler<K, V> {
    /** Narrowed: a bare poll loop calls it too. */
    @Override
    void handle(ConsumerRecord<K, V> record) throws InterruptedException;

    /** Waits for the last records, but not long; returns whether they have come. */
    boolean awaitNearEnd() throws InterruptedException;

    /**
     * Whether every record has ended.
     *
     * @param processed asks the consumer how many are done, which costs it a turn
     */
    boolean isOver(LongSupplier processed);

    /**
     * Does nothing but know the last record of each partition: even a counter that the workers share would cost a share
     * of what a no-op record costs.
     */
    final class Noop<K, V> implements BenchProbe<K, V> {
        private static final long LOOK_MILLIS = 100;

        private final long records;
        private final long[] lastOffsets;
        private final CountDownLatch partitionsLeft;

        /**
         * Expects these partitions, from offset 0 on.
         *
         * @param ends the end offset of each
         */
        Noop(List<Long> ends) {
            long sum = 0;
            int filled = 0;
            lastOffsets = new long[ends.size()];
            for (int partition = 0; partition < ends.size(); partition++) {
                sum += ends.get(partition);
                filled += ends.get(partition) > 0 ? 1 : 0;
                lastOffsets[partition] = ends.get(partition) - 1;
            }
            records = sum;
            partitionsLeft = new CountDownLatch(filled);
        }

        @Override
        public void handle(ConsumerRecord<K, V> record) {
            if (record.offset() == lastOffsets[record.partition()]) {
                partitionsLeft.countDown();
            }
        }

        @Override
        public boolean awaitNearEnd() throws InterruptedException {
            return partitionsLeft.await(LOOK_MILLIS, TimeUnit.MILLISECONDS);
        }

        @Override
        public boolean isOver(LongSupplier processed) {
            return processed.getAsLong() >= records;
        }
    }

    /** Waits, as a call to another service would, and counts: what that costs is nothing to what a wait costs. */
    final class Waiting<K, V> implements BenchProbe<K, V> {
        private static final long LOOK_NANOS = Duration.ofMillis(5).toNanos();
        private static final long NEAR = 20;

        private final long records;
        private final Duration work;
        private final LongAdder done = new LongAdder();
        private volatile long firstStartNanos;

        Waiting(long records, Duration work) {
            this.records = records;
            this.work = work;
        }

        @Override
        public void handle(ConsumerRecord<K, V> record) throws InterruptedException {
            if (firstStartNanos == 0) {
                start();
            }
            Simulated.work(work);
            done.increment();
        }

        private synchronized void start() {
            if (firstStartNanos == 0) {
                firstStartNanos = System.nanoTime();
            }
        }

        /** When the first handler started, as {@link System#nanoTime} tells it; only after one did. */
        long firstStartNanos() {
            return firstStartNanos;
        }

        @Override
        public boolean awaitNearEnd() {
            if (isNearEnd()) {
                return true;
            }
            LockSupport.parkNanos(LOOK_NANOS);
            return isNearEnd();
        }

        private boolean isNearEnd() {
            return done.sum() >= records - records / NEAR;
        }

        @Override
        public boolean isOver(LongSupplier processed) {
            return done.sum() >= records;
        }
    }
}
