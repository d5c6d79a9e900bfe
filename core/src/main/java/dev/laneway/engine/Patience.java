package dev.laneway.engine;

import dev.laneway.BrokerException;
import dev.laneway.LanewayException;
import java.time.Duration;
import java.util.Optional;
import org.apache.kafka.clients.consumer.NoOffsetForPartitionException;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.RetriableException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a failed poll means: wait and poll again, or stop with the reason. The owner only. */
final class Patience {
    /** The pause after a failed poll. */
    static final long PAUSE_NANOS = 100_000_000;

    private static final Logger log = LoggerFactory.getLogger(Patience.class);

    private final Duration retryAuthorization;
    private final Host host;
    private boolean failing;
    private long failingSinceNanos;

    Patience(Duration retryAuthorization, Host host) {
        this.retryAuthorization = retryAuthorization;
        this.host = host;
    }

    /** A poll went well. */
    void answered() {
        failing = false;
    }

    /** A poll failed: the failure to stop with, or nothing when polling goes on. */
    Optional<LanewayException> failed(RuntimeException failure) {
        if (!failing) {
            failing = true;
            failingSinceNanos = host.nanoTime();
        }
        return switch (failure) {
            case LanewayException own -> Optional.of(own);
            case AuthenticationException refused -> refused(refused);
            case AuthorizationException refused -> refused(refused);
            case RetriableException retriable -> {
                log.warn("a poll failed, again: {}", retriable.toString());
                yield Optional.empty();
            }
            case NoOffsetForPartitionException none ->
                Optional.of(new BrokerException(
                        "partitions " + none.partitions()
                                + " have no committed offset and auto.offset.reset is none: set it, or startAt(...)",
                        none));
            case OffsetOutOfRangeException gone ->
                Optional.of(new BrokerException(
                        "partitions " + gone.partitions()
                                + " no longer have the committed offset and auto.offset.reset is none: set it, or"
                                + " startAt(...)",
                        gone));
            case KafkaException wrapped when wrapped.getCause() instanceof RuntimeException cause -> failed(cause);
            case RuntimeException other ->
                Optional.of(new BrokerException("a poll failed: " + other.getMessage(), other));
        };
    }

    private Optional<LanewayException> refused(RuntimeException refused) {
        if (host.nanoTime() - failingSinceNanos < retryAuthorization.toNanos()) {
            log.warn(
                    "the broker refused a poll; again until retryAuthorization {} is over: {}",
                    retryAuthorization,
                    refused.toString());
            return Optional.empty();
        }
        return Optional.of(new BrokerException(
                "the broker refused access (" + refused.getMessage()
                        + "): mend the credentials or the ACLs, or set retryAuthorization to wait for that",
                refused));
    }
}
