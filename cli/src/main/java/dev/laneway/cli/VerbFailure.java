package dev.laneway.cli;

import org.jspecify.annotations.Nullable;

/**
 * A verb could not do its work: exit code 1, and the message is all that the user is shown. It says what failed and
 * what may help.
 */
final class VerbFailure extends RuntimeException {
    private static final long serialVersionUID = 1;

    VerbFailure(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    VerbFailure(String message) {
        this(message, null);
    }
}
