package dev.laneway.engine.start;

import dev.laneway.BrokerException;
import dev.laneway.Health;
import dev.laneway.engine.commit.BlockingCalls;
import dev.laneway.engine.config.AccessRefusal;
import dev.laneway.engine.runtime.HealthConditions;
import dev.laneway.engine.runtime.Host;
import dev.laneway.engine.runtime.LogLimiter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.StaleMemberEpochException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownMemberIdException;
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One question that is asked of many partitions, in short calls between turns. A call asks for several partitions at
 * once. Where it has no answer, the next one asks for half as many, and others come first: so those that have no answer
 * stay alone in the end, whatever keeps it from them. The longer it lasts, the longer a call may take, and the longer
 * is the pause after it, so that turns are never busy with it. The owner only.
 */
final class PartitionQuery<V> {
    /** The question itself: an answer names every partition. */
    interface Call<V> {
        Map<TopicPartition, V> ask(Set<TopicPartition> ids, Duration limit);
    }

    /** The first call: what a broker nearby needs, and a rebalance does not feel. */
    static final long FIRST_NANOS = 20_000_000;

    private static final Logger log = LoggerFactory.getLogger(PartitionQuery.class);
    private static final long LONGEST_NANOS = 1_000_000_000;
    private static final long LONGEST_PAUSE_NANOS = 2_000_000_000;
    /** After so many calls without an answer the broker is not just slow. */
    private static final int PATIENT_CALLS = 4;
    /** Pauses are so many times as long as calls then. */
    private static final int PAUSE_PER_CALL = 10;

    private static final int MOST_AT_ONCE = 10_000;
    private static final int MOST_NAMED = 3;

    private final Host host;
    private final HealthConditions conditions;
    private final Duration retryAuthorization;
    private final String what;
    private final String remedy;
    private final Call<V> call;
    private final BiConsumer<PartitionStart, V> taker;
    private final List<PartitionStart> queue = new ArrayList<>();
    private final LogLimiter warnings;
    private int atOnce = MOST_AT_ONCE;
    private long sliceNanos = FIRST_NANOS;
    private int silences;
    private long dueNanos;

    /**
     * A question.
     *
     * @param what what is being done, for messages
     * @param remedy what helps if there is no answer
     * @param taker gets the answer for each
     */
    PartitionQuery(
            Host host,
            HealthConditions conditions,
            Duration retryAuthorization,
            String what,
            String remedy,
            Call<V> call,
            BiConsumer<PartitionStart, V> taker) {
        this.host = host;
        this.conditions = conditions;
        this.retryAuthorization = retryAuthorization;
        this.what = what;
        this.remedy = remedy;
        this.call = call;
        this.taker = taker;
        this.warnings = new LogLimiter(host);
        this.dueNanos = host.nanoTime();
    }

    void add(PartitionStart start) {
        if (queue.isEmpty()) {
            dueNanos = host.nanoTime();
            sliceNanos = FIRST_NANOS;
            silences = 0;
        }
        queue.add(start);
    }

    /** Nothing is asked before that. */
    void pause(long nanos) {
        dueNanos = host.nanoTime() + nanos;
    }

    void forget(PartitionStart start) {
        if (queue.remove(start)) {
            tell("");
        }
    }

    /** Whether it waits, and was asked for without others. */
    boolean hasLeftAlone(PartitionStart start) {
        return atOnce == 1 && queue.contains(start);
    }

    boolean isDue() {
        return !queue.isEmpty() && host.nanoTime() - dueNanos >= 0;
    }

    /** Nanoseconds until there is something to ask; {@code otherwise} when there is nothing. */
    long untilDue(long nowNanos, long otherwise) {
        return queue.isEmpty() ? otherwise : Math.max(0, dueNanos - nowNanos);
    }

    /**
     * Asks once. False when there was no answer.
     *
     * @param mostNanos how long that may take
     */
    boolean ask(long mostNanos) {
        List<PartitionStart> asked = List.copyOf(queue.subList(0, Math.min(atOnce, queue.size())));
        Set<TopicPartition> ids = new LinkedHashSet<>();
        asked.forEach(start -> ids.add(start.id));
        long since = host.nanoTime();
        Map<TopicPartition, V> answer;
        try {
            answer = BlockingCalls.whole(ids, call.ask(ids, Duration.ofNanos(Math.min(sliceNanos, mostNanos))));
        } catch (WakeupException late) {
            return false; // It was meant for an earlier poll; asked again in the next turn.
        } catch (AuthenticationException | AuthorizationException refused) {
            asked.forEach(start -> refuse(start, refused));
            silent(asked, since, refused);
            return false;
        } catch (RetriableException | UnknownMemberIdException | StaleMemberEpochException silence) {
            silent(asked, since, silence); // What the group has against this member, a poll tells.
            return false;
        } catch (KafkaException failure) {
            if (failure.getClass() != KafkaException.class) {
                throw failure;
            }
            silent(asked, since, failure); // Such as a topic that has just been deleted.
            return false;
        }
        queue.subList(0, asked.size()).clear();
        atOnce = Math.min(MOST_AT_ONCE, 2 * atOnce);
        for (PartitionStart start : asked) {
            start.refusedSinceNanos = null;
            taker.accept(start, answer.get(start.id));
        }
        tell("");
        return true;
    }

    private void refuse(PartitionStart start, KafkaException refused) {
        long now = host.nanoTime();
        Long since = start.refusedSinceNanos;
        if (now - (since == null ? now : since) >= retryAuthorization.toNanos()) {
            throw new BrokerException(
                    what + " was refused: "
                            + new AccessRefusal((org.apache.kafka.common.errors.ApiException) refused)
                                    .whileReading("the topic"),
                    refused);
        }
        start.refusedSinceNanos = since == null ? now : since;
    }

    private void silent(List<PartitionStart> asked, long sinceNanos, KafkaException failure) {
        queue.subList(0, asked.size()).clear();
        queue.addAll(asked);
        asked.forEach(start -> start.unanswered++);
        atOnce = Math.max(1, asked.size() / 2);
        silences++;
        long took = Math.max(FIRST_NANOS, host.nanoTime() - sinceNanos);
        pause(silences <= PATIENT_CALLS ? took : Math.min(LONGEST_PAUSE_NANOS, PAUSE_PER_CALL * took));
        sliceNanos = Math.min(LONGEST_NANOS, 2 * sliceNanos);
        // What Kafka says of a call that was out of its time speaks of a setting that is not the cause.
        tell(failure instanceof TimeoutException ? "yet" : "(" + failure + ")");
        if (silences > PATIENT_CALLS && warnings.withheld() >= 0) {
            log.warn("{} of {} has no answer and is asked again: {}", what, asked, failure.toString());
        }
    }

    /** One condition for all that have no answer: there may be thousands. */
    private void tell(String failure) {
        List<PartitionStart> waiting = queue.stream()
                .filter(start -> start.unanswered > 0 && start.own)
                .toList();
        HealthConditions.Subject subject = new HealthConditions.Subject(Health.Cause.NO_START, "start", what);
        if (waiting.isEmpty()) {
            conditions.end(subject);
        } else if (!failure.isEmpty()) {
            int more = waiting.size() - MOST_NAMED;
            conditions.begin(
                    subject,
                    Health.Status.DEGRADED,
                    waiting.subList(0, Math.min(MOST_NAMED, waiting.size()))
                            + (more > 0 ? " and " + more + " more" : "") + " cannot start: " + what + " has no answer "
                            + failure + "; " + remedy);
        }
    }
}
