package dev.laneway.engine.commit;

import dev.laneway.BrokerException;
import dev.laneway.engine.config.AccessRefusal;
import dev.laneway.engine.runtime.DurationNanos;
import dev.laneway.engine.runtime.Host;
import dev.laneway.engine.runtime.ReadableDuration;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.function.Function;
import java.util.function.LongUnaryOperator;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Blocking calls of the consumer other than poll, within a limit. The owner only. */
public final class BlockingCalls {
    /** For the last commit, and for what ends a producer, however late it is. */
    public static final long LEAST_LEFT_NANOS = 1_000_000_000;

    private static final Logger log = LoggerFactory.getLogger(BlockingCalls.class);
    /** What Kafka can count. */
    private static final Duration LEAST = Duration.ofMillis(1);

    /**
     * The first slice of a call that a close may shorten, each next one twice as long. Short, since the client of the
     * classic protocol (4.3.1) sleeps for retry.backoff.ms between two answers to commits, if it has the time.
     */
    private static final Duration FIRST_SLICE = Duration.ofMillis(10);

    /** How late such a call hears of a close. */
    private static final Duration LONGEST_SLICE = Duration.ofMillis(200);

    private final Host host;
    private final Duration limit;
    private final Duration retryAuthorization;
    private final LongUnaryOperator orClose;

    /** @param orClose see {@code Inbox.orClose} */
    public BlockingCalls(Host host, Duration limit, Duration retryAuthorization, LongUnaryOperator orClose) {
        this.host = host;
        this.limit = limit;
        this.retryAuthorization = retryAuthorization;
        this.orClose = orClose;
    }

    /**
     * Makes the call, again if the broker does not answer or a wake-up meant for an earlier poll ends it, until the
     * broker limit is over.
     *
     * @param what for the error: what was being done
     * @param call gets the time that is left
     */
    public <T> T within(String what, Function<Duration, T> call) {
        return within(what, limit, call);
    }

    /**
     * As {@link #within(String, Function)}, and again while the broker refuses it: for retryAuthorization, but not for
     * longer than the broker limit, since this may be a rebalance that others wait for.
     */
    public <T> T granted(String what, Function<Duration, T> call) {
        long since = host.nanoTime();
        Duration patience = retryAuthorization.compareTo(limit) < 0 ? retryAuthorization : limit;
        while (true) {
            try {
                return within(what, limit.minusNanos(host.nanoTime() - since), call);
            } catch (AuthenticationException | AuthorizationException refused) {
                if (host.nanoTime() - since >= patience.toNanos()) {
                    throw new BrokerException(
                            what + " was refused: " + new AccessRefusal(refused).whileReading("the topic"), refused);
                }
                log.warn("{} was refused, again: {}", what, refused.toString());
                host.park(BrokerRetries.PAUSE_NANOS);
            }
        }
    }

    /** As {@link #granted}, for a question about partitions, whose answer must name each of them. */
    public <V> Map<TopicPartition, V> answered(
            String what, Collection<TopicPartition> ids, Function<Duration, ? extends Map<TopicPartition, V>> call) {
        return granted(what, left -> whole(ids, call.apply(left)));
    }

    /**
     * The answer, if it is one: a call that runs out of time may return without a failure and without what was asked
     * for (as {@code endOffsets} of kafka-clients 4.3.1).
     *
     * @throws TimeoutException when it does not name each of the partitions
     */
    public static <V> Map<TopicPartition, V> whole(Collection<TopicPartition> ids, Map<TopicPartition, V> answer) {
        if (!answer.keySet().containsAll(ids)) {
            throw new TimeoutException("the answer names " + answer.keySet() + ", asked was for " + ids);
        }
        return answer;
    }

    /**
     * As {@link #within(String, Function)} with a limit of its own. Kafka counts in milliseconds, so that less than one
     * is none, and a call without time returns without an answer: none is made. The first call has one at least.
     */
    public <T> T within(String what, Duration ownLimit, Function<Duration, T> call) {
        return within(what, ownLimit, false, call);
    }

    /**
     * As {@link #within(String, Duration, Function)}, for what a rebalance waits for: it does not wait beyond the limit
     * of a close, also one that is asked for meanwhile. Calls that run out of their time are made again.
     */
    <T> T orClosed(String what, Duration ownLimit, Function<Duration, T> call) {
        return within(what, ownLimit, true, call);
    }

    private <T> T within(String what, Duration ownLimit, boolean hearsClose, Function<Duration, T> call) {
        long since = host.nanoTime();
        RetriableException latest = null;
        boolean called = false;
        int attempt = 1;
        Duration slice = FIRST_SLICE;
        while (true) {
            Duration left = hearsClose ? leftOrClosed(since, ownLimit) : ownLimit.minusNanos(host.nanoTime() - since);
            if (left.compareTo(LEAST) < 0) {
                if (called) {
                    throw unanswered(what, ownLimit, Duration.ofNanos(host.nanoTime() - since), attempt, latest);
                }
                left = LEAST;
            }
            called = true;
            boolean whole = !hearsClose || left.compareTo(slice) <= 0;
            long calledNanos = host.nanoTime();
            try {
                return call.apply(whole ? left : slice);
            } catch (WakeupException late) {
                log.trace("{} was ended by a late wake-up", what);
            } catch (RetriableException failure) {
                latest = failure;
                if (!whole && host.nanoTime() - calledNanos >= slice.toNanos()) {
                    slice = min(slice.multipliedBy(2), LONGEST_SLICE);
                    continue; // The same attempt: no answer yet.
                }
                log.warn("{} failed, again: {}", what, failure.toString());
                long pause = Math.min(100_000_000L, 1_000_000L << Math.min(attempt, 10));
                host.park(Math.min(pause, Math.max(1, ownLimit.toNanos() - (host.nanoTime() - since))));
            }
            attempt++;
        }
    }

    private static Duration min(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    private static BrokerException unanswered(
            String what, Duration limit, Duration waited, int attempt, @Nullable RetriableException latest) {
        boolean closed = waited.compareTo(limit.minus(LEAST)) < 0;
        return new BrokerException(
                what + " had no answer within "
                        + (closed
                                ? ReadableDuration.of(waited) + ", when the consumer had to close"
                                : "brokerLimit " + ReadableDuration.of(limit))
                        + " (" + Math.max(1, attempt - 1) + " attempts): check the brokers, or raise "
                        + (closed ? "closeLimit" : "brokerLimit"),
                latest);
    }

    private Duration leftOrClosed(long sinceNanos, Duration ownLimit) {
        long untilNanos = sinceNanos + DurationNanos.of(ownLimit);
        long closedNanos = Math.max(orClose.applyAsLong(untilNanos), sinceNanos + LEAST_LEFT_NANOS);
        return Duration.ofNanos(Math.min(untilNanos, closedNanos) - host.nanoTime());
    }
}
