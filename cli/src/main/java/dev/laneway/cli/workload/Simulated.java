package dev.laneway.cli.workload;

import java.time.Duration;

/** The work of simulated handlers: they wait, as for another service, and fail now and then. */
public final class Simulated {
    /** The class of the engine that logs failed attempts; a test sees that it is there. */
    public static final String LOGS_FAILURES = "dev.laneway.engine.handle.AttemptSettlement";

    private Simulated() {}

    /** Each failed attempt would be a warning; simulated failures are only counted. Before the engine is loaded. */
    public static void logNoFailures() {
        System.setProperty("org.slf4j.simpleLogger.log." + LOGS_FAILURES, "error");
    }

    /** Waits. */
    public static void work(Duration work) throws InterruptedException {
        if (!work.isZero()) {
            Thread.sleep(work);
        }
    }

    /**
     * Whether an attempt fails. A hash decides, so that every run, member and machine has the same failures.
     *
     * @param rate the share of attempts that fail, 0 to 1
     */
    public static boolean fails(double rate, int partition, long offset, int attempt) {
        return chance(partition, offset, attempt) < rate;
    }

    /** A pseudo-random number from 0 to 1, 1 not included, that is the same for the same attempt. */
    public static double chance(int partition, long offset, int attempt) {
        long hash = mix(mix(mix(partition) + offset) + attempt);
        return (hash >>> 11) * 0x1p-53;
    }

    /** Spreads every bit of the input over all bits of the output: two rounds of multiply and fold. */
    private static long mix(long value) {
        long mixed = (value + 0x9e3779b97f4a7c15L) * 0xbf58476d1ce4e5b9L;
        mixed = (mixed ^ mixed >>> 29) * 0x94d049bb133111ebL;
        return mixed ^ mixed >>> 32;
    }

    /** The failure of an attempt that was meant to fail. */
    public static final class Failure extends RuntimeException {
        private static final long serialVersionUID = 1;

        public Failure(int attempt) {
            // Without a stack trace, which would cost more than the rest of the attempt.
            super("simulated failure of attempt " + attempt, null, false, false);
        }
    }
}
