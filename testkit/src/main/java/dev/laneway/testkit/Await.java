package dev.laneway.testkit;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.apache.kafka.common.KafkaException;

/** Bounded waiting for a real broker. Nothing in the testkit waits without a limit. */
final class Await {

    /** The limit of calls without a limit of the caller's. */
    static final Duration CALL_LIMIT = Duration.ofSeconds(30);

    private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private Await() {}

    /**
     * Waits until {@code obstacle} is empty.
     *
     * @param obstacle why to wait on, in words; empty when there is nothing left to wait for
     * @throws IllegalStateException with the last obstacle when the limit is reached
     */
    static void until(String what, Duration limit, Supplier<Optional<String>> obstacle) {
        long deadline = System.nanoTime() + limit.toNanos();
        Optional<String> left = obstacle.get();
        while (left.isPresent()) {
            if (System.nanoTime() - deadline >= 0) {
                throw new IllegalStateException(what + " did not happen within " + limit + ": " + left.get());
            }
            if (Thread.currentThread().isInterrupted()) {
                throw new IllegalStateException(what + ": interrupted while waiting: " + left.get());
            }
            LockSupport.parkNanos(STEP_NANOS);
            left = obstacle.get();
        }
    }

    /** Waits for a client's answer, and throws the client's own exception when it failed. */
    static <T> T get(String what, Future<T> future) {
        try {
            return future.get(CALL_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof KafkaException failure) {
                throw failure;
            }
            throw new IllegalStateException(what + " failed", e.getCause());
        } catch (TimeoutException e) {
            throw new IllegalStateException(what + " did not end within " + CALL_LIMIT, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(what + ": interrupted while waiting", e);
        }
    }
}
