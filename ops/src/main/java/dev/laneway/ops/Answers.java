package dev.laneway.ops;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;

/** Waits for the answers of one round, all until the same moment. Used by one thread. */
final class Answers {
    private final LongSupplier nanoTime;
    private final long deadline;
    private final long limitMillis;

    Answers(LongSupplier nanoTime, long limitMillis) {
        this.nanoTime = nanoTime;
        this.limitMillis = limitMillis;
        this.deadline = nanoTime.getAsLong() + TimeUnit.MILLISECONDS.toNanos(limitMillis);
    }

    /** A value, or why there is none. */
    record Answer<T>(@Nullable T value, @Nullable Throwable failure) {}

    <T> Answer<T> of(KafkaFuture<T> future) {
        try {
            return new Answer<>(future.get(Math.max(0, deadline - nanoTime.getAsLong()), TimeUnit.NANOSECONDS), null);
        } catch (ExecutionException failed) {
            return new Answer<>(null, failed.getCause() == null ? failed : failed.getCause());
        } catch (TimeoutException late) {
            return new Answer<>(null, late);
        } catch (InterruptedException interrupted) {
            throw new InterruptException(interrupted);
        }
    }

    long leftMillis() {
        return TimeUnit.NANOSECONDS.toMillis(Math.max(0, deadline - nanoTime.getAsLong()));
    }

    int leftForRequest() {
        return Math.clamp(leftMillis(), 1, Integer.MAX_VALUE);
    }

    /** Why there is no answer, for people. */
    String reason(String what, @Nullable Throwable failure) {
        // Without a broker the client wraps the end of its time.
        if (isTimeout(failure) || (failure != null && isTimeout(failure.getCause()))) {
            return what + ": no answer within " + limitMillis + " ms";
        }
        if (failure instanceof AuthorizationException) {
            return what + ": the right is missing: " + failure.getMessage();
        }
        return what + ": " + (failure == null ? "no answer" : failure.getMessage());
    }

    private static boolean isTimeout(@Nullable Throwable failure) {
        return failure instanceof TimeoutException
                || failure instanceof org.apache.kafka.common.errors.TimeoutException;
    }
}
