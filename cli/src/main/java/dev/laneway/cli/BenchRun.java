package dev.laneway.cli;

import dev.laneway.Laneway;
import dev.laneway.LanewayBuilder;
import dev.laneway.RecordHandler;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;

/**
 * Takes the time that a bare poll loop and Laneway need for the same records. Both clocks start before the consumer is
 * made and stop when the last record is handled; closing is not counted. Used by one thread.
 */
final class BenchRun {
    private static final Duration POLL = Duration.ofMillis(100);
    private static final long CLOSER_LOOK_NANOS = 200_000;
    private static final long HEALTH_LOOK_NANOS = Duration.ofSeconds(5).toNanos();
    private static final Duration STALL_LIMIT = Duration.ofSeconds(60);

    private final Stop stop;
    private final ParallelRun.Guard guard;

    BenchRun(Stop stop, ParallelRun.Guard guard) {
        this.stop = stop;
        this.guard = guard;
    }

    /** The body of a bare poll loop. */
    interface Body {
        /** Handles one record. */
        void handle(ConsumerRecord<byte[], byte[]> record) throws InterruptedException;
    }

    /**
     * Polls and handles one record after the other, and commits nothing. Returns nanoseconds.
     *
     * @param consumer makes it, subscribed or assigned; it is closed
     */
    long loop(Supplier<Consumer<byte[], byte[]>> consumer, long records, Body body) throws InterruptedException {
        long start = System.nanoTime();
        try (Consumer<byte[], byte[]> polled = consumer.get()) {
            loop(polled, records, body);
            return System.nanoTime() - start;
        }
    }

    private void loop(Consumer<byte[], byte[]> consumer, long records, Body body) throws InterruptedException {
        long left = records;
        long emptyPolls = 0;
        while (left > 0) {
            ConsumerRecords<byte[], byte[]> polled = consumer.poll(POLL);
            for (ConsumerRecord<byte[], byte[]> record : polled) {
                body.handle(record);
            }
            left -= polled.count();
            failIfStopped();
            if (!polled.isEmpty()) {
                emptyPolls = 0;
            } else {
                guard.check();
                if (++emptyPolls * POLL.toNanos() > STALL_LIMIT.toNanos()) {
                    throw stalled(records - left, records);
                }
            }
        }
    }

    /**
     * Starts Laneway with the probe, waits until all is over, and closes it. Returns nanoseconds, without the close.
     */
    <K, V> long laneway(LanewayBuilder<K, V> description, BenchProbe<K, V> probe, long records, Runnable atEnd)
            throws InterruptedException {
        long start = System.nanoTime();
        RecordHandler<K, V> handler = probe;
        Laneway running = description.closeOnShutdown(false).process(handler);
        long took;
        try {
            awaitEnd(running, probe, records);
            took = System.nanoTime() - start;
            atEnd.run();
        } finally {
            running.close();
        }
        failIfFailed(running);
        long processed = running.snapshot().counters().processed();
        if (processed != records) {
            throw new VerbFailure("Laneway has counted " + Text.count(processed) + " records as done instead of "
                    + Text.count(records) + "; is somebody else writing to the topic?");
        }
        return took;
    }

    private <K, V> void awaitEnd(Laneway running, BenchProbe<K, V> probe, long records) throws InterruptedException {
        long lookedNanos = System.nanoTime();
        long movedNanos = lookedNanos;
        long processed = 0;
        while (!probe.awaitNearEnd() || !probe.isOver(() -> processed(running))) {
            failIfStopped();
            failIfFailed(running);
            long now = System.nanoTime();
            if (now - lookedNanos > HEALTH_LOOK_NANOS) {
                guard.check();
                lookedNanos = now;
                long before = processed;
                processed = processed(running);
                movedNanos = processed == before ? movedNanos : now;
                if (now - movedNanos > STALL_LIMIT.toNanos()) {
                    throw stalled(processed, records);
                }
            }
            LockSupport.parkNanos(CLOSER_LOOK_NANOS);
        }
    }

    private static long processed(Laneway running) {
        return running.snapshot().counters().processed();
    }

    private void failIfStopped() {
        if (stop.isRequested()) {
            throw new VerbFailure("stopped before the end; a figure is made of whole rounds, so there is none");
        }
    }

    private static void failIfFailed(Laneway running) {
        running.failure().ifPresent(failure -> {
            throw new VerbFailure("Laneway failed while it was measured: " + failure.getMessage(), failure);
        });
    }

    private static VerbFailure stalled(long done, long records) {
        return new VerbFailure("nothing moved for " + Text.duration(STALL_LIMIT) + " after " + Text.count(done) + " of "
                + Text.count(records) + " records");
    }
}
