package dev.laneway.bench;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * What handling a record takes. Immutable.
 *
 * @param time for a record, or for one in {@code every}
 * @param every which records take it: those whose offset is a multiple
 * @param computing whether it keeps a processor busy; else it waits, as a call to another service would
 */
record Work(Duration time, int every, boolean computing) {
    static final Work NONE = new Work(Duration.ZERO, 1, false);

    static Work of(ArmSpec spec) {
        return new Work(
                Duration.ofNanos(1_000 * spec.number("work-us", 0)),
                Math.toIntExact(spec.number("work-every", 1)),
                spec.number("computing", 0) == 1);
    }

    boolean isNothing() {
        return time.isZero();
    }

    private boolean concerns(ConsumerRecord<?, ?> record) {
        return !time.isZero() && record.offset() % every == 0;
    }

    /** Does it on this thread. */
    void run(ConsumerRecord<?, ?> record) throws InterruptedException {
        if (!concerns(record)) {
            return;
        }
        if (!computing) {
            Thread.sleep(time);
            return;
        }
        long end = System.nanoTime() + time.toNanos();
        while (System.nanoTime() - end < 0) {
            Thread.onSpinWait();
        }
    }

    /** Does it without holding this thread, then {@code after}. */
    CompletionStage<@Nullable Void> later(ConsumerRecord<?, ?> record, Runnable after) {
        if (!concerns(record)) {
            after.run();
            return CompletableFuture.completedFuture(null);
        }
        CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
        var _ = Clock.TIMER.schedule(
                () -> {
                    after.run();
                    done.complete(null);
                },
                time.toNanos(),
                TimeUnit.NANOSECONDS);
        return done;
    }

    /** Made when it is first needed. */
    private static final class Clock {
        static final ScheduledThreadPoolExecutor TIMER = new ScheduledThreadPoolExecutor(
                1, Thread.ofPlatform().name("bench-timer").daemon().factory());
    }
}
