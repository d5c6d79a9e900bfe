package dev.laneway.testkit.sim;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;

/** Answers of the cluster, as values or as the exception itself. */
final class SimFutures {
    private SimFutures() {}

    /** The value of a finished future; its exception is thrown as it is. */
    static <T> T get(CompletableFuture<T> done) {
        RuntimeException failure = failure(done);
        if (failure != null) {
            throw failure;
        }
        return done.resultNow();
    }

    /** Why it failed; null if it has not finished or has succeeded. */
    static @Nullable RuntimeException failure(CompletableFuture<?> future) {
        return future.isCompletedExceptionally() ? unwrap(future.exceptionNow()) : null;
    }

    static RuntimeException unwrap(Throwable error) {
        Throwable cause = error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
        return cause instanceof RuntimeException runtime ? runtime : new KafkaException(cause);
    }
}
