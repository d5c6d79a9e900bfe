package dev.laneway.stream;

import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/**
 * What stages need of the machine that they run on: threads, time and chance.
 *
 * @param threads gives each task a thread of its own, on which it may wait
 * @param random for one stage's drain alone
 */
record StageRuntime(Executor threads, StreamTimer alarm, RandomGenerator random) {
    /** The real one, for one stage. */
    static StageRuntime real(String threads) {
        return new StageRuntime(virtual(threads), SystemStreamTimer.REAL, RandomGenerator.getDefault());
    }

    /** A virtual thread for each task. */
    static Executor virtual(String name) {
        Thread.Builder.OfVirtual threads = Thread.ofVirtual().name(name);
        return task -> threads.unstarted(task).start();
    }
}
