package dev.laneway.stream;

import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/**
 * What stages need of the machine that they run on: threads, time and chance.
 *
 * @param threads gives each task a thread of its own, on which it may wait
 * @param random for one stage's drain alone
 */
record Machine(Executor threads, Alarm alarm, RandomGenerator random) {
    /** The real one, for one stage. */
    static Machine real(String threads) {
        return new Machine(virtual(threads), AlarmClock.REAL, RandomGenerator.getDefault());
    }

    /** A virtual thread for each task. */
    static Executor virtual(String name) {
        Thread.Builder.OfVirtual threads = Thread.ofVirtual().name(name);
        return task -> threads.unstarted(task).start();
    }
}
