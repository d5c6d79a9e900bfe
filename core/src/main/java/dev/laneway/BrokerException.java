package dev.laneway;

import org.jspecify.annotations.Nullable;

/** Kafka refused, or stayed away longer than the limits allow. The cause is Kafka's own exception. Immutable. */
public final class BrokerException extends LanewayException {
    private static final long serialVersionUID = 1;

    /** Says what was being done and what the remedy may be. */
    public BrokerException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
