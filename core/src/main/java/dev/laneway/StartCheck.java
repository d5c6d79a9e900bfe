package dev.laneway;

/**
 * What is done when, at start, no broker answers, or a topic that is subscribed to by name, or a dead-letter topic,
 * does not exist. Both say so at once. Immutable.
 */
public enum StartCheck {
    /** It starts, says in health and log what is missing, and goes on by itself when it is there. The default. */
    WAIT,
    /**
     * It waits for {@code healthLimit} at most for an answer, and the start fails with a {@link BrokerException} that
     * names everything that is missing.
     */
    FAIL
}
