package dev.laneway.stream.runtime;

import dev.laneway.engine.runtime.DurationNanos;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** Calls back later; tests replace it. Thread-safe. */
@FunctionalInterface
public interface StreamTimer {
    /**
     * Calls once, on a thread of the timer, when the time has passed.
     *
     * @return cancels the call, if it has not been made
     */
    Runnable in(long nanos, Runnable call);

    /** Calls when the time has passed, unless the stage is complete before. */
    default void unless(CompletableFuture<?> stage, Duration limit, Runnable call) {
        if (!stage.isDone()) {
            Runnable forget = in(Math.max(0, DurationNanos.of(limit)), call);
            var _ = stage.whenComplete((result, failure) -> forget.run());
        }
    }

    /** Fails the stage when the time has passed and it is not complete. */
    default void limit(CompletableFuture<?> stage, Duration limit, Supplier<? extends Throwable> why) {
        unless(stage, limit, () -> stage.completeExceptionally(why.get()));
    }
}
