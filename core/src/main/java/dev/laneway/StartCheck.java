package dev.laneway;

/**
 * What happens if, at start, no broker answers, or a topic that is subscribed to by name or a dead-letter topic does
 * not exist. Immutable.
 */
public enum StartCheck {
    /** It starts, says in health and log what is missing, and goes on by itself when it is there. The default. */
    WAIT,
    /**
     * The start fails with a {@link BrokerException} that names everything that is missing, after {@code healthLimit}
     * at most.
     */
    FAIL
}
