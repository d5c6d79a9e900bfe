package dev.laneway.engine;

import dev.laneway.BrokerException;
import dev.laneway.LanewayException;
import java.time.Duration;
import java.util.Optional;
import org.apache.kafka.clients.consumer.LogTruncationException;
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

    private final String what;
    private final Duration retryAuthorization;
    private final Host host;
    private volatile boolean failing;
    private volatile long failingSinceNanos;
    private volatile String reason = "";

    /** @param what the call that it is about, for messages */
    Patience(String what, Duration retryAuthorization, Host host) {
        this.what = what;
        this.retryAuthorization = retryAuthorization;
        this.host = host;
    }

    /** A poll went well. */
    void answered() {
        failing = false;
    }

    /** Since when every call has failed, and why, in words; empty when all is well. Any thread. */
    Optional<String> trouble() {
        return failing
                ? Optional.of(what + " has not succeeded for "
                        + Duration.ofNanos(host.nanoTime() - failingSinceNanos).toSeconds() + " s: " + reason)
                : Optional.empty();
    }

    /** A poll failed: the failure to stop with, or nothing when polling goes on. */
    Optional<LanewayException> failed(RuntimeException failure) {
        if (!failing) {
            failingSinceNanos = host.nanoTime();
            failing = true;
        }
        reason = failure.toString();
        return switch (failure) {
            case LanewayException own -> Optional.of(own);
            case AuthenticationException refused -> refused(refused);
            case AuthorizationException refused -> refused(refused);
            case RetriableException retriable -> {
                log.warn("{} failed, again: {}", what, retriable.toString());
                yield Optional.empty();
            }
            case NoOffsetForPartitionException none ->
                Optional.of(new BrokerException(
                        "partitions " + none.partitions()
                                + " have no committed offset and auto.offset.reset is none: set it, or startAt(...)",
                        none));
            case LogTruncationException cut ->
                Optional.of(new BrokerException(
                        "the log of " + cut.partitions()
                                + " was cut below what the group has read and auto.offset.reset is none: set it, or"
                                + " startAt(...); the log differs from " + cut.divergentOffsets(),
                        cut));
            case OffsetOutOfRangeException gone ->
                Optional.of(new BrokerException(
                        "partitions " + gone.partitions()
                                + " no longer have the committed offset and auto.offset.reset is none: set it, or"
                                + " startAt(...)",
                        gone));
            case KafkaException wrapped when wrapped.getCause() instanceof RuntimeException cause -> failed(cause);
            case RuntimeException other ->
                Optional.of(new BrokerException(what + " failed: " + other.getMessage(), other));
        };
    }

    private Optional<LanewayException> refused(RuntimeException refused) {
        if (host.nanoTime() - failingSinceNanos < retryAuthorization.toNanos()) {
            log.warn(
                    "the broker refused {}; again until retryAuthorization {} is over: {}",
                    what,
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
