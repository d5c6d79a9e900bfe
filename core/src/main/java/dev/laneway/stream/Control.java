package dev.laneway.stream;

import dev.laneway.Health;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Ends a running stream, and tells how it is. Thread-safe; not to be implemented by users. */
public interface Control {
    /**
     * Ends the source: nothing more is delivered, the stream completes, and what was delivered may still be
     * acknowledged. Returns at once; {@link #completion()} tells the end. Safe to call again.
     */
    void stop();

    /**
     * {@link #stop()}, with a limit of its own for what is in flight: what was delivered is dealt with to its end and
     * committed, then everything is closed.
     *
     * @param limit how long that may take
     * @return the result of {@link #completion()}; fails with a {@link dev.laneway.StreamException} when the limit has
     *     passed first. Then the stream has ended, too: its stages are given up, functions of {@link Source#mapByKey}
     *     are interrupted, and what was not acknowledged is read again by the next owner
     */
    CompletionStage<@Nullable Void> drainAndShutdown(Duration limit);

    /** Whether everything has ended and is closed. */
    boolean isShutdown();

    /**
     * The stream's result: completes when everything has ended, what was acknowledged is committed and the consumer has
     * left its group; fails with what ended the stream before, whichever function, stage or subscriber threw it. After
     * a failure nothing is waited for that was not acknowledged.
     */
    CompletionStage<@Nullable Void> completion();

    /** Whether the stream does its work, and if not, why. */
    Health health();
}
