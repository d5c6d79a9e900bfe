package dev.laneway.stream;

import dev.laneway.Health;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Ends a running stream, and tells its state. Thread-safe; not to be implemented by users. */
public interface Control {
    /**
     * Ends the source: nothing more is delivered, the stream completes, and delivered records may still be
     * acknowledged. Returns at once; {@link #completion()} completes at the end. Safe to call again.
     */
    void stop();

    /**
     * {@link #stop()} with its own limit: delivered records are processed to their end and committed, then everything
     * is closed.
     *
     * @param limit how long that may take
     * @return the result of {@link #completion()}; fails with a {@link dev.laneway.StreamException} if the limit passes
     *     first. Then the stream has ended too: functions of {@link Source#mapByKey} are interrupted, and the next
     *     owner reads again what was not acknowledged
     */
    CompletionStage<@Nullable Void> drainAndShutdown(Duration limit);

    /** Whether everything has ended and is closed. */
    boolean isShutdown();

    /**
     * The stream's result: completes when everything has ended, what was acknowledged is committed and the consumer has
     * left its group; fails with the cause if a function, a stage, a subscriber or the consumer failed.
     */
    CompletionStage<@Nullable Void> completion();

    /** Whether the stream does its work, and if not, why. */
    Health health();
}
