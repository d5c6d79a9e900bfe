package dev.laneway.stream;

import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Calls back later. Time is behind this, so that tests have their own. Thread-safe. */
@FunctionalInterface
interface Alarm {
    /** The real one: a virtual thread per call, and no thread while nothing is due. */
    Alarm REAL = (nanos, call) -> {
        Future<?> due = ForkJoinPool.commonPool()
                .schedule(
                        () -> {
                            var _ = Thread.startVirtualThread(call);
                        },
                        nanos,
                        TimeUnit.NANOSECONDS);
        return () -> due.cancel(false);
    };

    /**
     * Calls once, on a thread of the alarm's own, when the time has passed.
     *
     * @return forgets the call, if it is not too late
     */
    Runnable in(long nanos, Runnable call);
}
