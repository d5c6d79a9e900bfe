package dev.laneway;

import java.time.Duration;

/**
 * An attempt took longer than the attempt limit. The failure policy treats it like an exception of the handler.
 * Immutable.
 */
public final class AttemptTimeoutException extends LanewayException {
    private static final long serialVersionUID = 1;

    /** Names the limit that was passed. */
    public AttemptTimeoutException(String lane, Duration limit) {
        super("an attempt in lane " + lane + " took longer than attemptLimit " + limit, null);
    }
}
