package dev.laneway.engine.runtime;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The user's rebalance listener, or observer, while it runs on the owner's thread, where it keeps everything else
 * waiting. Whoever closes the consumer may interrupt it, and nothing else that the owner does. Thread-safe.
 */
public final class ListenerCall {
    private static final int FRAMES = 8;

    private final String whose;
    private @Nullable Thread thread;
    private String what = "";
    private boolean interrupted;

    /** @param whose in words, such as "the rebalance listener's" */
    public ListenerCall(String whose) {
        this.whose = whose;
    }

    /** The owner is about to call it. */
    public synchronized void begin(String call) {
        thread = Thread.currentThread();
        what = call;
        interrupted = false;
    }

    /**
     * It has returned or thrown; whether it was interrupted here. The owner's interrupt flag is clear afterwards:
     * Kafka's client, whose poll this is in, would take it for its own.
     */
    public synchronized boolean end() {
        thread = null;
        Thread.interrupted();
        return interrupted;
    }

    /** Interrupts it, if it runs. */
    public synchronized void interrupt() {
        if (thread != null) {
            interrupted = true;
            thread.interrupt();
        }
    }

    public synchronized boolean isRunning() {
        return thread != null;
    }

    /** Which call has not returned, and where it is, in words; empty when none runs. */
    public Optional<String> told() {
        Thread running;
        StringBuilder told = new StringBuilder();
        synchronized (this) {
            running = thread;
            told.append(whose).append(' ').append(what).append(" has not returned");
        }
        if (running == null) {
            return Optional.empty();
        }
        StackTraceElement[] stack = running.getStackTrace();
        for (int i = 0; i < Math.min(FRAMES, stack.length); i++) {
            told.append(i == 0 ? ", at " : " ").append(stack[i]);
        }
        return Optional.of(told.toString());
    }
}
