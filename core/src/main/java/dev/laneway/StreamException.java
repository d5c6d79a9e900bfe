package dev.laneway;

import org.jspecify.annotations.Nullable;

/** A stream did not end as it was asked to, or failed. Immutable. */
public final class StreamException extends LanewayException {
    private static final long serialVersionUID = 1;

    /** Says what was not done and what the remedy may be. */
    public StreamException(String message) {
        this(message, null);
    }

    /** Says what failed and what the remedy may be. */
    public StreamException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
