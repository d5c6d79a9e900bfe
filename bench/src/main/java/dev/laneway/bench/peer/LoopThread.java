package dev.laneway.bench.peer;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A consumer that is one thread in a loop. */
abstract class LoopThread implements Peer.Running {
    private static final Duration END_LIMIT = Duration.ofSeconds(30);

    private final Thread thread;
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private volatile boolean ending;

    LoopThread(String name) {
        thread = Thread.ofPlatform().name(name).daemon().unstarted(() -> {
            try {
                run();
            } catch (Throwable failed) {
                failure.set(failed);
            }
        });
    }

    /** Starts it, at the end of the constructor. */
    final void begin() {
        thread.start();
    }

    /** The loop; returns soon after {@link #isEnding}. */
    abstract void run() throws Exception;

    /** Ends a wait of the loop, if it can be ended. */
    void wake() {}

    final boolean isEnding() {
        return ending;
    }

    @Override
    public final void check() {
        Throwable failed = failure.get();
        if (failed != null) {
            throw new IllegalStateException("the loop has failed", failed);
        }
    }

    @Override
    public final void close() throws InterruptedException {
        ending = true;
        wake();
        if (!thread.join(END_LIMIT)) {
            throw new IllegalStateException("the loop does not end");
        }
        check();
    }
}
