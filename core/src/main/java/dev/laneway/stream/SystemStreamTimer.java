package dev.laneway.stream;

import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Real time. One thread waits for what is due and starts it; a call runs on a thread of a small pool, and on a virtual
 * one when all of those wait for the user's code. All of these threads are the library's own and none is virtual, as
 * long as a few do: whoever blocks the common pool, or keeps the carriers of virtual threads busy, delays no timer.
 *
 * <p>One clock serves the process. Its threads are daemons that end soon after there is nothing more to wait for, so
 * that they hold no class loader; a call that is forgotten leaves nothing behind.
 */
final class SystemStreamTimer implements StreamTimer {
    /** The one of the process. */
    static final StreamTimer REAL = new SystemStreamTimer("laneway-timer");

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
            // Not that of whoever happens to come first: a thread serves many.
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
