package dev.laneway.engine.runtime;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Code that an observer is to run in what it binds. It runs once and on this thread, whatever the observer does. Used
 * by one thread.
 */
final class SingleRun implements Runnable {
    private final Runnable code;
    private final Thread thread = Thread.currentThread();
    private boolean began;
    private @Nullable Throwable thrown;

    private SingleRun(Runnable code) {
        this.code = code;
    }

    /**
     * Runs code within an observer, or after it where that has not run it. What the code throws comes out, and the
     * observer does not see it.
     *
     * @param method the observer's, for the log
     */
    static void within(String method, Consumer<Runnable> around, Runnable code, ObserverCalls calls) {
        SingleRun run = new SingleRun(code);
        try {
            around.accept(run);
            if (!run.began) {
                calls.failed(method, new IllegalStateException("it returned and had not run what it was given"));
            }
        } catch (Throwable failure) {
            calls.failed(method, failure);
        }
        if (!run.began) {
            run.run();
        }
        run.rethrow();
    }

    @Override
    public void run() {
        if (!Thread.currentThread().equals(thread)) {
            throw new IllegalStateException("an observer must run a handler or a send on the thread that calls it");
        }
        if (began) {
            throw new IllegalStateException("an observer must run a handler or a send once");
        }
        began = true;
        try {
            code.run();
        } catch (Throwable failure) {
            thrown = failure;
        }
    }

    private void rethrow() {
        switch (thrown) {
            case null -> {}
            case RuntimeException failure -> throw failure;
            case Error error -> throw error;
            default -> throw new IllegalStateException(thrown);
        }
    }
}
