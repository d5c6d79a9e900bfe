package dev.laneway.cli.live;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/** Where the frames come from. Asking waits for nothing. */
sealed interface FrameSource extends AutoCloseable permits OwnFrames, PageFrames {
    /** What was seen last. */
    Reading latest();

    @Override
    void close();

    /**
     * What is known now. Immutable.
     *
     * @param frame as the page gives it at {@code /frame}; null before the first
     * @param trouble why there is nothing newer, as a sentence; empty if all is well
     */
    record Reading(@Nullable JsonNode frame, String trouble) {}
}
