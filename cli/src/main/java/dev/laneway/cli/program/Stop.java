package dev.laneway.cli.program;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Turns SIGTERM and Ctrl-C into a request that the running verb checks, so that it ends by itself and its exit code is
 * that of the process. Thread-safe.
 *
 * <p>Java has only a shutdown hook for that, and the process ends when the hooks have ended: so the hook waits for the
 * verb, up to the limit, and then ends the process with the verb's exit code.
 */
public final class Stop {
    private static final Duration DEFAULT_LIMIT = Duration.ofSeconds(60);

    private final CountDownLatch requested = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile Duration limit = DEFAULT_LIMIT;
    private volatile int exitCode = Program.FAILED;

    /** Asks the verb to end. */
    public void request() {
        requested.countDown();
    }

    /** Whether the verb is asked to end. */
    public boolean isRequested() {
        return requested.getCount() == 0;
    }

    /** Waits until the end is requested, but no longer than the limit; returns whether it is. */
    public boolean await(Duration atMost) throws InterruptedException {
        return requested.await(atMost.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Says how long the verb may take to end after a signal; then the process ends without it. */
    public void limit(Duration newLimit) {
        limit = newLimit;
    }

    /** Installs the hook; once per process. */
    void installHook() {
        try {
            Runtime.getRuntime().addShutdownHook(new Thread(this::waitForTheVerb, "laneway-stop"));
        } catch (IllegalStateException ending) {
            request(); // The process is already ending.
        }
    }

    /** Ends the process with the verb's exit code. Does not return. */
    void exit(int code) {
        exitCode = code;
        ended.countDown();
        // After a signal this blocks for ever, since the process is ending already: the hook ends it.
        System.exit(code);
    }

    private void waitForTheVerb() {
        if (ended.getCount() == 0) {
            return;
        }
        request();
        try {
            if (!ended.await(limit.toNanos(), TimeUnit.NANOSECONDS)) {
                System.err.println(
                        "laneway: did not end within " + Text.duration(limit) + " of the signal; ending the process");
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        System.out.flush();
        System.err.flush();
        Runtime.getRuntime().halt(exitCode);
    }
}
