package dev.laneway;

import java.util.EnumSet;
import java.util.Set;

/** The states of a {@link Laneway}; {@link #next()} names the possible transitions. Immutable. */
public enum State {
    /** The members are being created; nothing has been polled. */
    STARTING,
    /** Records are processed, or could be if there were any. */
    RUNNING,
    /** Nothing new is fetched; what is held is being processed to its end. */
    DRAINING,
    /** No new record starts; what is in flight ends or is interrupted, then the last commit is made. */
    CLOSING,
    /** All threads have ended and the consumer has left its group, without a failure. */
    CLOSED,
    /** Ended because of a failure, which {@link Laneway#failure()} tells. */
    FAILED;

    /** The states that may follow this one. */
    public Set<State> next() {
        return switch (this) {
            case STARTING -> EnumSet.of(RUNNING, DRAINING, CLOSING, FAILED);
            case RUNNING -> EnumSet.of(DRAINING, CLOSING, FAILED);
            case DRAINING -> EnumSet.of(CLOSING, FAILED);
            case CLOSING -> EnumSet.of(CLOSED, FAILED);
            case CLOSED, FAILED -> EnumSet.noneOf(State.class);
        };
    }

    /** True when nothing runs any more. */
    public boolean isTerminal() {
        return this == CLOSED || this == FAILED;
    }
}
