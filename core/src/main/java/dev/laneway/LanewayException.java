package dev.laneway;

import org.jspecify.annotations.Nullable;

/** The supertype of what Laneway throws or fails with. Immutable. */
public abstract sealed class LanewayException extends RuntimeException
        permits ConfigurationException,
                RecordFailedException,
                BrokerException,
                AttemptTimeoutException,
                RecordDeserializationException,
                LaneKeyException,
                NotBeforeException,
                StreamException,
                SendFailedException {
    private static final long serialVersionUID = 1;

    LanewayException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
