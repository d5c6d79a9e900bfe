package dev.laneway.engine.commit;

import dev.laneway.BrokerException;
import dev.laneway.LanewayException;
import dev.laneway.engine.config.AccessRefusal;
import dev.laneway.engine.config.TopicSelection;
import dev.laneway.engine.runtime.Host;
import dev.laneway.engine.runtime.LogLimiter;
import dev.laneway.engine.runtime.ReadableDuration;
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
public final class BrokerRetries {
    /** The pause after a failed poll. */
    public static final long PAUSE_NANOS = 100_000_000;

    private static final long LEAST_QUIET_NANOS = 5_000_000_000L;

    private static final Logger log = LoggerFactory.getLogger(BrokerRetries.class);

    private final String what;
    private final Duration retryAuthorization;
    private final TopicSelection subscription;
    /** So long nothing must be refused any more before a refusal is over. */
    private final long quietNanos;

    private final Host host;
    private final LogLimiter warnings;
    private volatile boolean failing;
    private volatile long failingSinceNanos;
    private volatile String reason = "";
    private boolean refused;
    private long refusedSinceNanos;
    private long refusedNanos;

    /**
     * Patience with one kind of call.
     *
     * @param what the call that it is about, for messages
     * @param subscription what is read, for messages
     * @param metadataAge after which time the client asks for topics again
     */
    public BrokerRetries(
            String what, Duration retryAuthorization, TopicSelection subscription, Duration metadataAge, Host host) {
        this.what = what;
        this.retryAuthorization = retryAuthorization;
        this.subscription = subscription;
        this.quietNanos =
                Math.max(LEAST_QUIET_NANOS, metadataAge.multipliedBy(2).toNanos());
        this.host = host;
        this.warnings = new LogLimiter(host);
    }

    /** What was asked for was done. */
    void answered() {
        failing = false;
        refused = false;
    }

    /**
     * A poll did not fail. After a refusal that says little: the client asks the broker now and then only, and other
     * topics may be read meanwhile. So a refusal is over when none has come for a while.
     */
    public void polled() {
        if (failing && (!refused || host.nanoTime() - refusedNanos >= quietNanos)) {
            answered();
        }
    }

    /** Since when every call has failed, and why, in words; empty when all is well. Any thread. */
    public Optional<String> trouble() {
        return failing
                ? Optional.of(what + " has not succeeded for "
                        + Duration.ofNanos(host.nanoTime() - failingSinceNanos).toSeconds() + " s: " + reason)
                : Optional.empty();
    }

    /** Why it fails and what mends that, to go on a sentence with. */
    String because(Exception failure) {
        AccessRefusal refusal = AccessRefusal.of(failure);
        return refusal == null
                ? " (" + (failure.getCause() == null ? failure : failure.getCause()) + "): check the brokers"
                : ": " + refusal.whileWaiting(subscription);
    }

    /** A poll failed: the failure to stop with, or nothing when polling goes on. */
    public Optional<LanewayException> failed(RuntimeException failure) {
        if (!failing) {
            failingSinceNanos = host.nanoTime();
            failing = true;
        }
        reason = failure.toString();
        return switch (failure) {
            case LanewayException own -> Optional.of(own);
            case AuthenticationException denied -> refused(new AccessRefusal(denied));
            case AuthorizationException denied -> refused(new AccessRefusal(denied));
            case RetriableException retriable -> {
                log.warn("{} failed, again: {}", what, retriable.toString());
                yield Optional.empty();
            }
            case NoOffsetForPartitionException none -> Optional.of(noOffset(none));
            case LogTruncationException cut ->
                Optional.of(new BrokerException(
                        "the log of " + cut.partitions()
                                + " was cut below what the group has read and auto.offset.reset is none: set it, or"
                                + " move the group's offsets (Laneway.resetOffsets); the log differs from "
                                + cut.divergentOffsets(),
                        cut));
            case OffsetOutOfRangeException gone ->
                Optional.of(new BrokerException(
                        "partitions do not have the offsets " + gone.offsetOutOfRangePartitions()
                                + ", before their logs' start or beyond the end, and auto.offset.reset is none: set it,"
                                + " or move the group's offsets (Laneway.resetOffsets)",
                        gone));
            case KafkaException wrapped when wrapped.getCause() instanceof RuntimeException cause -> failed(cause);
            case RuntimeException other ->
                Optional.of(new BrokerException(what + " failed: " + other.getMessage(), other));
        };
    }

    public static BrokerException noOffset(NoOffsetForPartitionException none) {
        return new BrokerException(
                "partitions " + none.partitions()
                        + " have no committed offset and auto.offset.reset is none: set it, or startAt(...)",
                none);
    }

    /** Kafka's complaints about something else, in the words that they would have if a poll had failed with them. */
    public Throwable explained(Throwable crash) {
        if (crash instanceof KafkaException complaint) {
            AccessRefusal refusal = AccessRefusal.of(complaint);
            if (refusal != null) {
                return new BrokerException("the consumer was refused: " + refusal.told(subscription), complaint);
            }
            LanewayException told = failed(complaint).orElse(null);
            return told == null ? crash : told;
        }
        return crash;
    }

    private Optional<LanewayException> refused(AccessRefusal refusal) {
        refusedNanos = host.nanoTime();
        if (!refused) {
            refused = true;
            refusedSinceNanos = refusedNanos;
        }
        if (refusedNanos - refusedSinceNanos < retryAuthorization.toNanos()) {
            reason = refusal.whileWaiting(subscription);
            long withheld = warnings.withheld();
            if (withheld >= 0) {
                log.warn(
                        "{} was refused and is tried again until retryAuthorization {} is over: {}",
                        what,
                        ReadableDuration.of(retryAuthorization),
                        reason);
            }
            return Optional.empty();
        }
        return Optional.of(new BrokerException(what + " was refused: " + refusal.told(subscription), refusal.cause()));
    }
}
