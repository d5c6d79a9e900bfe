package dev.laneway.stream.runtime;

import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Calls functions that return stages, and treats every invalid stage as a failure. */
public final class CompletionStages {
    private static final Logger log = LoggerFactory.getLogger(CompletionStages.class);

    private CompletionStages() {}

    /**
     * Calls the function and tells the callback the result, also if the function throws, returns null, or returns a
     * stage that refuses callbacks.
     *
     * @return the stage, so that it can be cancelled; null if there is none
     */
    public static <T, R> @Nullable CompletionStage<R> call(
            String operator,
            Function<? super T, ? extends CompletionStage<R>> function,
            T element,
            BiConsumer<@Nullable R, @Nullable Throwable> answer) {
        CompletionStage<R> stage = null;
        try {
            stage = Objects.requireNonNull(
                    function.apply(element), () -> operator + "'s function returned null instead of a stage");
            var _ = stage.whenComplete(answer);
        } catch (Throwable thrown) {
            answer.accept(null, thrown);
        }
        return stage;
    }

    public static Throwable noResult(String operator) {
        return new NullPointerException(
                operator + "'s stage completed with null; streams have no null: answer with an Optional, say");
    }

    /** The failure of the stage, without the wrapping that dependent stages add. */
    public static @Nullable Throwable unwrapped(@Nullable Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }

    /** Cancels the stage, because its result is no longer needed. */
    public static void cancel(@Nullable CompletionStage<?> stage) {
        if (stage != null) {
            try {
                stage.toCompletableFuture().cancel(true);
            } catch (Throwable refused) {
                log.debug("a stage cannot be cancelled; what it works on goes on unobserved", refused);
            }
        }
    }
}
