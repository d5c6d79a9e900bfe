package dev.laneway.testkit;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** The steps that undo a start, last step first. If one fails, the others still run. Thread-safe. */
final class ClosingSteps {

    private final Deque<Runnable> steps = new ArrayDeque<>();

    synchronized void add(Runnable step) {
        steps.push(step);
    }

    /** Runs every step once; a second call finds none. Throws the first failure, with the others attached. */
    synchronized void run() {
        @Nullable RuntimeException failure = null;
        while (!steps.isEmpty()) {
            try {
                steps.pop().run();
            } catch (RuntimeException e) {
                if (failure == null) {
                    failure = e;
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
