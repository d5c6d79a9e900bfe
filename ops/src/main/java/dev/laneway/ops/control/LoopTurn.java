package dev.laneway.ops.control;

import dev.laneway.ops.scale.Decision;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one turn of a loop did. Immutable.
 *
 * @param atMillis when, in milliseconds since 1970
 * @param decision what was decided; null if nothing could be measured yet
 * @param acted what became of the change, as the end of a sentence; null if there was none to be made
 * @param isDone whether the change was made, or may have been
 * @param news what else there is to tell, in sentences
 */
public record LoopTurn(
        long atMillis,
        @Nullable Decision decision,
        @Nullable String acted,
        boolean isDone,
        List<String> news) {
    /** Copies the list. */
    public LoopTurn {
        news = List.copyOf(news);
    }
}
