package dev.laneway.stream;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/**
 * A subscriber with a result. For one stream: a second subscription is cancelled, as the specification says.
 * {@link #completion} may be called by any thread.
 */
public interface Sink<T> extends Flow.Subscriber<T> {
    /**
     * Completes when the stream has completed and all its elements are handled; fails with what ended the stream or the
     * sink. A sink that fails cancels its stream.
     */
    CompletionStage<@Nullable Void> completion();
}
