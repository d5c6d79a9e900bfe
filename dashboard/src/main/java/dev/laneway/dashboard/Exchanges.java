package dev.laneway.dashboard;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;

/**
 * Runs each request on a virtual thread, and cuts off clients that do not send theirs, or do not take the answer. The
 * JDK's server would wait for them as long as they like. Thread-safe.
 */
final class Exchanges implements Executor {
    private static final long SLOWEST_NANOS = 10_000_000_000L;

    private final Map<Thread, Long> begun = new ConcurrentHashMap<>();

    @Override
    public void execute(Runnable request) {
        Thread.ofVirtual().name("laneway-dashboard-request").start(() -> {
            begun.put(Thread.currentThread(), System.nanoTime());
            try {
                request.run();
            } finally {
                begun.remove(Thread.currentThread());
            }
        });
    }

    /** The request of this thread has another limit from now on. */
    void exempt() {
        begun.remove(Thread.currentThread());
    }

    /** Called now and then. */
    void cutOff() {
        long now = System.nanoTime();
        begun.forEach((thread, since) -> {
            if (now - since > SLOWEST_NANOS) {
                thread.interrupt(); // Closes its channel.
            }
        });
    }
}
