package dev.laneway.bench;

import dev.laneway.cli.program.Text;
import java.io.PrintStream;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Prints a line before each step of a long measurement, with an estimate of the remaining time. Nothing is drawn while
 * a step runs, since that would be measured too. Used by one thread.
 */
final class Pace {
    /** Before this much has passed, the first steps say little about the speed of this machine. */
    private static final double TRUSTED_SECONDS = 20;

    private final PrintStream out;
    private final LongSupplier nanoTime;
    private final double expectedSeconds;
    private final long start;
    private double pastSeconds;
    private double nextSeconds;

    /**
     * Begins.
     *
     * @param expectedSeconds about how long all steps take on a usual machine; the estimate adapts to this one
     */
    Pace(PrintStream out, double expectedSeconds, LongSupplier nanoTime) {
        this.out = out;
        this.expectedSeconds = expectedSeconds;
        this.nanoTime = nanoTime;
        this.start = nanoTime.getAsLong();
    }

    /** Ends the step before and begins this one. */
    void next(String what, double seconds) {
        pastSeconds += nextSeconds;
        nextSeconds = seconds;
        out.println("[" + percent() + " %] " + what + "; about " + Text.duration(left()) + " left");
        out.flush();
    }

    private long percent() {
        return Math.min(99, (long) (100 * pastSeconds / expectedSeconds));
    }

    /** In whole seconds: it is an estimate. */
    private Duration left() {
        double elapsed = (nanoTime.getAsLong() - start) / 1e9;
        double slowness = (elapsed + TRUSTED_SECONDS) / (pastSeconds + TRUSTED_SECONDS);
        return Duration.ofSeconds(Math.max(1, Math.round(slowness * (expectedSeconds - pastSeconds))));
    }
}
