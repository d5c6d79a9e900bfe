package dev.laneway.ops.observe;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Makes calls that may hang on one daemon thread and gives up waiting in time. What hangs is interrupted; where that
 * does not help, it keeps the one thread, and later calls run out of time too: no thread is added.
 */
final class Timely implements AutoCloseable {
    private final ExecutorService worker;

    Timely(String threadName) {
        worker = Executors.newSingleThreadExecutor(
                Thread.ofPlatform().daemon().name(threadName).factory());
    }

    /**
     * @param named who is asked, for the failure
     * @param late what to say if it takes longer
     * @throws SourceFailure if it takes longer, or if this thread is interrupted
     * @throws Exception what the work throws
     */
    <T> T call(Duration limit, String named, Callable<String> late, Callable<T> work) throws Exception {
        Future<T> answer = worker.submit(work);
        try {
            return answer.get(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException failed) {
            throw failed.getCause() instanceof Exception cause ? cause : failed;
        } catch (TimeoutException timeout) {
            throw new SourceFailure(named + " did not answer within " + seconds(limit) + " s: " + late.call(), timeout);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new SourceFailure(named + " was not read, since this thread was interrupted", interrupted);
        } finally {
            answer.cancel(true);
        }
    }

    /** Runs this after all that is under way, without waiting for it, and nothing more after it. */
    void closeAfter(Runnable last) {
        if (!worker.isShutdown()) {
            worker.execute(last);
            worker.shutdown();
        }
    }

    @Override
    public void close() {
        worker.shutdownNow();
    }

    private static String seconds(Duration limit) {
        double seconds = limit.toMillis() / 1e3;
        return seconds == Math.rint(seconds) ? String.valueOf((long) seconds) : String.valueOf(seconds);
    }
}
