package dev.laneway.ops;

import org.jspecify.annotations.Nullable;

/** Nothing could be read of a group, or measured; the message says why and what to do. */
public final class LagFailure extends RuntimeException {
    private static final long serialVersionUID = 1;

    LagFailure(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
