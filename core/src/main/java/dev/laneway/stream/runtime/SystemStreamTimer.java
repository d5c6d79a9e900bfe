package dev.laneway.stream.runtime;

import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Real time. One thread waits for what is due; a small pool of platform threads makes the calls, and virtual threads if
 * all of those are blocked in user code. So code that blocks the common pool or the carriers of virtual threads delays
 * no timer.
 *
 * <p>One timer serves the process. Its threads are daemons that end soon after the last call, so that they hold no
 * class loader. A cancelled call leaves nothing behind.
 */
public final class SystemStreamTimer implements StreamTimer {
    /** The one of the process. */
    public static final StreamTimer REAL = new SystemStreamTimer("laneway-timer");

    private static final int MOST_CALLERS = 16;
    private static final long IDLE_MILLIS = 500;

    private final ScheduledThreadPoolExecutor timer;
    private final ThreadPoolExecutor callers;

    /** @param name of its threads */
    SystemStreamTimer(String name) {
        timer = new ScheduledThreadPoolExecutor(1, daemons(name));
        timer.setKeepAliveTime(IDLE_MILLIS, TimeUnit.MILLISECONDS);
        timer.allowCoreThreadTimeOut(true);
        timer.setRemoveOnCancelPolicy(true);
        callers = new ThreadPoolExecutor(
                0,
                MOST_CALLERS,
                IDLE_MILLIS,
                TimeUnit.MILLISECONDS,
                new SynchronousQueue<>(),
                daemons(name + "-call"),
                (call, pool) -> {
                    var _ = Thread.ofVirtual().name(name + "-call").start(call);
                });
    }

    private static ThreadFactory daemons(String name) {
        ThreadFactory factory = Thread.ofPlatform()
                .daemon()
                .name(name)
                .inheritInheritableThreadLocals(false)
                .factory();
        return task -> {
            Thread thread = factory.newThread(task);
            // Not the class loader of the first caller: a thread serves many.
            thread.setContextClassLoader(ClassLoader.getSystemClassLoader());
            return thread;
        };
    }

    @Override
    public Runnable in(long nanos, Runnable call) {
        Future<?> due = timer.schedule(() -> callers.execute(call), nanos, TimeUnit.NANOSECONDS);
        return () -> due.cancel(false);
    }

    /** Calls that are still to come. */
    int pending() {
        return timer.getQueue().size();
    }
}
