package dev.laneway.bench.measure;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * The simulated work of a handler. Immutable.
 *
 * @param time for a record, or for one in {@code every}
 * @param every which records take it: those whose offset is a multiple
 * @param computing whether it keeps a processor busy; otherwise it waits, as for another service
 * @param times the time of each record, instead of the other parameters; or null
 */
public record Work(
        Duration time,
        int every,
        boolean computing,
        @Nullable Times times) {
    public static final Work NONE = new Work(Duration.ZERO, 1, false, null);

    /** The time of each record, if they differ. */
    public interface Times {
        Duration of(byte[] value);

        /** Waits, on the handler's thread, before the time of a record begins. */
        default void await(byte[] value) throws InterruptedException {}

        /** The work on a record has ended. */
        void ended(byte[] value);
    }

    public static Work of(ArmSpec spec) {
        return new Work(
                Duration.ofNanos(1_000 * spec.number("work-us", 0)),
                Math.toIntExact(spec.number("work-every", 1)),
                spec.number("computing", 0) == 1,
                null);
    }

    public boolean isNothing() {
        return time.isZero();
    }

    private Duration of(ConsumerRecord<?, byte[]> record) {
        if (times != null) {
            return times.of(record.value());
        }
        return !time.isZero() && record.offset() % every == 0 ? time : Duration.ZERO;
    }

    private void ended(ConsumerRecord<?, byte[]> record) {
        if (times != null) {
            times.ended(record.value());
        }
    }

    /** Does the work on this thread. */
    void run(ConsumerRecord<?, byte[]> record) throws InterruptedException {
        if (time.isZero()) {
            return;
        }
        if (times != null) {
            times.await(record.value());
        }
        Duration taking = of(record);
        if (!computing) {
            if (!taking.isZero()) {
                Thread.sleep(taking);
            }
        } else {
            long end = System.nanoTime() + taking.toNanos();
            while (System.nanoTime() - end < 0) {
                Thread.onSpinWait();
            }
        }
        ended(record);
    }

    /** Does the work without blocking this thread, then {@code after}. */
    CompletionStage<@Nullable Void> later(ConsumerRecord<?, byte[]> record, Runnable after) {
        Duration taking = time.isZero() ? Duration.ZERO : of(record);
        if (taking.isZero()) {
            ended(record);
            after.run();
            return CompletableFuture.completedFuture(null);
        }
        CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
        var _ = Clock.TIMER.schedule(
                () -> {
                    ended(record);
                    after.run();
                    done.complete(null);
                },
                taking.toNanos(),
                TimeUnit.NANOSECONDS);
        return done;
    }

    /** Made when it is first needed. */
    private static final class Clock {
        static final ScheduledThreadPoolExecutor TIMER = new ScheduledThreadPoolExecutor(
                1, Thread.ofPlatform().name("bench-timer").daemon().factory());
    }
}
