package dev.laneway;

/** A stream ended otherwise than it was asked to. Immutable. */
public final class StreamException extends LanewayException {
    private static final long serialVersionUID = 1;

    /** Says what was not reached and what the remedy may be. */
    public StreamException(String message) {
        super(message, null);
    }
}
