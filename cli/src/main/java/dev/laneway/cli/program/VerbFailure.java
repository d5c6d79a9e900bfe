package dev.laneway.cli.program;

import org.jspecify.annotations.Nullable;

/**
 * A verb could not do its work: exit code 1. The user sees only the message, which says what failed and what may help.
 */
public final class VerbFailure extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** Says what failed, and why. */
    public VerbFailure(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /** Says what failed. */
    public VerbFailure(String message) {
        this(message, null);
    }
}
