package dev.laneway;

import java.time.Duration;

/** An attempt took longer than the attempt limit. Goes to the failure policy like what a handler throws. Immutable. */
public final class AttemptTimeoutException extends LanewayException {
    private static final long serialVersionUID = 1;

    /** Names the limit that was passed. */
    public AttemptTimeoutException(String lane, Duration limit) {
        super("an attempt in lane " + lane + " took longer than attemptLimit " + limit, null);
    }
}
