package dev.laneway.ops.scale;

import org.jspecify.annotations.Nullable;

/** A decision log could not be read. Its message says why, and what to do. */
public final class DecisionLogFailure extends RuntimeException {
    private static final long serialVersionUID = 1;

    DecisionLogFailure(String message) {
        super(message);
    }

    DecisionLogFailure(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
