package dev.laneway.stream.runtime;

import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/**
 * The threads, time and randomness of stages, so that a simulation can replace them.
 *
 * @param threads runs each task on its own thread, which may block
 * @param random used only by the drain of one stage
 */
public record StageRuntime(Executor threads, StreamTimer alarm, RandomGenerator random) {
    /** The real one, for one stage. */
    public static StageRuntime real(String threads) {
        return new StageRuntime(virtual(threads), SystemStreamTimer.REAL, RandomGenerator.getDefault());
    }

    /** A virtual thread for each task. */
    public static Executor virtual(String name) {
        Thread.Builder.OfVirtual threads = Thread.ofVirtual().name(name);
        return task -> threads.unstarted(task).start();
    }
}
