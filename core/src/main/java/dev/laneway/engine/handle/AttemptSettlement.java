package dev.laneway.engine.handle;

import dev.laneway.AttemptTimeoutException;
import dev.laneway.Backoff;
import dev.laneway.CommitMode;
import dev.laneway.DeadLetterTopic;
import dev.laneway.FailurePolicy;
import dev.laneway.Options;
import dev.laneway.Outcome;
import dev.laneway.RecordDeserializationException;
import dev.laneway.RecordFailedException;
import dev.laneway.engine.config.AccessRefusal;
import dev.laneway.engine.runtime.EventCounts;
import dev.laneway.engine.runtime.Host;
import dev.laneway.engine.runtime.LogLimiter;
import dev.laneway.engine.runtime.ObservedAttempt;
import dev.laneway.engine.runtime.ReadableDuration;
import dev.laneway.engine.runtime.UtilisationMeter;
import dev.laneway.engine.track.AttemptResult;
import dev.laneway.engine.track.Batch;
import dev.laneway.engine.track.DeadLetter;
import dev.laneway.engine.track.Event;
import dev.laneway.engine.track.Inbox;
import dev.laneway.engine.track.Lane;
import dev.laneway.engine.track.OutgoingRecords;
import dev.laneway.engine.track.ReadyQueue;
import dev.laneway.engine.track.Track;
import dev.laneway.engine.track.TrackLanes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RetriableException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What follows the end of an attempt: done, sent, tried again, dead-lettered, skipped, stopped. Never throws what a
 * handler caused. Thread-safe.
 */
public final class AttemptSettlement {
    /** How the worker goes on. */
    enum After {
        SAME_LANE,
        OTHER_WORK,
        /** With other work, if it gets another permit: its own stays with an asynchronous handler. */
        PERMIT_LEFT
    }

    /**
     * How often a delivery that the producer has given up is sent again; each time the producer has tried for
     * delivery.timeout.ms itself.
     */
    public static final int DELIVERY_ATTEMPTS = 5;

    private static final int LOGGED_CHARS = 300;
    private static final Backoff DELIVERY_BACKOFF = Backoff.exponential(Duration.ofMillis(100), Duration.ofSeconds(10));
    private static final Logger log = LoggerFactory.getLogger(AttemptSettlement.class);

    private final Host host;
    private final LogLimiter failures;
    private final LogLimiter skips;
    private final UnreadableRecords unreadable;
    private final FailurePolicy policy;
    private final @Nullable Duration attemptLimit;
    private final boolean transactional;
    private final long retryAuthorizationNanos;
    private final Attempt attempt;
    private final Outbox outbox;
    private final UndeliverableOutputs undeliverable;
    private final Inbox inbox;
    private final ReadyQueue queue;
    private final EventCounts counts;
    private final UtilisationMeter meter;

    public AttemptSettlement(
            Host host,
            Options options,
            Attempt attempt,
            UnreadableRecords unreadable,
            Outbox outbox,
            Inbox inbox,
            ReadyQueue queue,
            EventCounts counts,
            UtilisationMeter meter) {
        this.host = host;
        this.failures = new LogLimiter(host);
        this.skips = new LogLimiter(host);
        this.unreadable = unreadable;
        this.policy = options.failurePolicy();
        this.attemptLimit = options.attemptLimit();
        this.transactional = options.commit() instanceof CommitMode.ExactlyOnce;
        this.retryAuthorizationNanos = options.limits().retryAuthorization().toNanos();
        this.attempt = attempt;
        this.outbox = outbox;
        this.undeliverable = new UndeliverableOutputs(host, options.failurePolicy(), outbox, inbox, counts);
        this.inbox = inbox;
        this.queue = queue;
        this.counts = counts;
        this.meter = meter;
    }

    /** Acts on how an attempt of the lane's record ended. */
    After settle(Lane lane, AttemptResult result) {
        if (result == AttemptResult.Done.DONE) { // Mostly; a switch over types goes through all of them.
            return after(lane, lane.track.lanes.finish(lane, null));
        }
        return switch (result) {
            case AttemptResult.Done done -> after(lane, lane.track.lanes.finish(lane, null));
            case AttemptResult.Emits(var outputs) -> deliver(lane, outgoing(lane, outputs));
            case AttemptResult.Said(Outcome outcome, var outputs) ->
                isLate(lane) ? After.OTHER_WORK : apply(lane, outcome, outputs);
            case AttemptResult.Failed(Throwable cause) -> isLate(lane) ? After.OTHER_WORK : failed(lane, cause);
            case AttemptResult.Pending pending -> awaitStage(lane, pending);
            case AttemptResult.Observed(AttemptResult own, ObservedAttempt by) -> {
                lane.observed = by;
                yield settle(lane, own);
            }
        };
    }

    private static OutgoingRecords outgoing(Lane lane, List<ProducerRecord<byte[], byte[]>> outputs) {
        return new OutgoingRecords(lane.track, lane.record, outputs, lane.observed);
    }

    /**
     * Whether the partition was given up meanwhile. The attempt may have failed since it was interrupted for that: it
     * is no failure of the record, and its next owner decides for itself.
     */
    private static boolean isLate(Lane lane) {
        boolean dropped = lane.track.lanes.isDropped();
        if (dropped) {
            lane.track.lanes.finish(lane, null);
        }
        return dropped;
    }

    /**
     * Acts on how each record of a batch ended. The records of a lane are settled in order, up to the first that is to
     * be made again.
     */
    void settle(Batch batch, List<AttemptResult> results) {
        Map<Lane, List<Integer>> byLane = new LinkedHashMap<>();
        for (int i = 0; i < results.size(); i++) {
            byLane.computeIfAbsent(batch.lane(i), lane -> new ArrayList<>()).add(i);
        }
        // All lanes first: settling one may wait, and an interrupt meant for another must not hit that.
        byLane.forEach((lane, positions) -> {
            boolean timedOut = lane.track.lanes.handBack(
                    lane, positions.stream().map(batch.records()::get).toList());
            if (timedOut) {
                results.set(
                        positions.getFirst(), results.get(positions.getFirst()).failed(timeout(lane)));
            }
        });
        byLane.forEach((lane, positions) -> {
            After after = After.SAME_LANE;
            for (int i = 0; i < positions.size() && after == After.SAME_LANE; i++) {
                after = settle(lane, results.get(positions.get(i)));
            }
            if (after == After.SAME_LANE) {
                lane.track.lanes.requeue(lane);
            }
        });
    }

    private After after(Lane lane, TrackLanes.Next next) {
        return switch (next) {
            case SAME_LANE -> After.SAME_LANE;
            case OTHER_WORK -> After.OTHER_WORK;
            case TIMED_OUT -> attemptFailed(lane, timeout(lane));
        };
    }

    private After apply(Lane lane, Outcome outcome, List<ProducerRecord<byte[], byte[]>> outputs) {
        return switch (outcome) {
            case Outcome.Skip(String reason) -> skip(lane, reason, null, outputs);
            case Outcome.RetryAfter(Duration delay) -> retry(lane, delay, null);
            case Outcome.DeadLetter(String reason) -> {
                if (policy.last() instanceof FailurePolicy.Last.DeadLetter(DeadLetterTopic to)) {
                    yield deadLetter(lane, to, reason, null, outputs);
                }
                yield lane.track.ledger.keepsRejected()
                        ? reject(lane, reason, null, outputs)
                        : stop(
                                lane,
                                "its handler asked for a dead letter (" + reason
                                        + ") but failurePolicy names no topic: add thenDeadLetter(topic)",
                                null);
            }
            case Outcome.Stop(String reason) -> stop(lane, "its handler said so: " + reason, null);
            case Outcome.Done done -> after(lane, lane.track.lanes.finish(lane, null));
            case Outcome.Emit(var emitted) -> deliver(lane, outgoing(lane, emitted));
        };
    }

    private After failed(Lane lane, Throwable thrown) {
        Throwable cause = thrown;
        if (lane.track.lanes.clearInterrupt(lane)) {
            cause = timeout(lane);
            cause.addSuppressed(thrown);
        }
        return attemptFailed(lane, cause);
    }

    private After attemptFailed(Lane lane, Throwable cause) {
        if (lane.observed != null) {
            lane.observed.ended(cause); // Of a stage that was over the limit, and may never complete.
        }
        counts.failed(lane.record, lane.attempt, cause);
        FailurePolicy applies = policy.forFailure(cause);
        boolean unread = cause instanceof RecordDeserializationException && !policy.names(cause);
        boolean oneOfMany = unread && unreadable.isOneOfMany(lane.record, cause);
        int number = lane.attempt;
        if ((!unread || UnreadableRecords.mayPass(cause)) && number < applies.maxAttempts()) {
            return retryLater(lane, cause, delay(lane, applies, cause));
        }
        if (oneOfMany && !(applies.last() instanceof FailurePolicy.Last.Stop)) {
            return retryLater(lane, cause, unreadable.pause(lane.attempt, host));
        }
        return switch (applies.last()) {
            case FailurePolicy.Last.Stop stop ->
                stop(
                        lane,
                        "attempt " + number + " failed and failurePolicy says stop: mend the cause, or choose "
                                + "thenDeadLetter(topic) or thenSkip()",
                        cause);
            case FailurePolicy.Last.Skip skip -> reject(lane, "attempt " + number + " failed", cause, List.of());
            case FailurePolicy.Last.DeadLetter(DeadLetterTopic to) ->
                deadLetter(lane, to, DeadLetter.message(cause), cause, List.of());
        };
    }

    /** What the failure says itself, or else the back-off. */
    private Duration delay(Lane lane, FailurePolicy applies, Throwable cause) {
        Optional<Duration> said = Optional.empty();
        try {
            said = applies.delayAfter(cause);
        } catch (Throwable wrong) {
            log.warn("retryAfter of the failure policy gave no delay for {}; the back-off counts", cause, wrong);
        }
        return said.or(() -> applies.backoff().map(backoff -> backoff.delay(lane.attempt, host.random())))
                .orElse(Duration.ZERO);
    }

    private After retryLater(Lane lane, Throwable cause, Duration delay) {
        long withheld = failures.withheld();
        if (withheld >= 0) {
            log.warn(
                    "attempt {} of {} failed; next in {} ({} more failures were not logged)",
                    lane.attempt,
                    name(lane.record),
                    ReadableDuration.of(delay),
                    withheld,
                    cause);
        }
        return retry(lane, delay, cause);
    }

    private AttemptTimeoutException timeout(Lane lane) {
        return new AttemptTimeoutException(
                attempt.laneName(lane.record), attemptLimit == null ? Duration.ZERO : attemptLimit);
    }

    private After retry(Lane lane, Duration delay, @Nullable Throwable cause) {
        counts.retried(lane.record, lane.attempt, delay, cause);
        lane.lastFailure = cause;
        if (lane.track.lanes.awaitRetry(lane)) {
            inbox.add(new Event.Retry(lane, delay.toNanos()));
        }
        return After.OTHER_WORK;
    }

    /** Given up for good: skipped, and where the broker wants to know, rejected. */
    private After reject(
            Lane lane, String reason, @Nullable Throwable cause, List<ProducerRecord<byte[], byte[]>> outputs) {
        lane.track.ledger.reject(lane.record);
        return skip(lane, reason, cause, outputs);
    }

    private After skip(
            Lane lane, String reason, @Nullable Throwable cause, List<ProducerRecord<byte[], byte[]>> outputs) {
        counts.skipped(lane.track.partition, lane.record.offset(), cause);
        // Each is named, since nothing else does; a stack stands by one a second.
        if (cause == null) {
            log.warn("skipped {}: {}", name(lane.record), DeadLetter.cut(reason, LOGGED_CHARS));
        } else if (skips.withheld() >= 0) {
            log.warn("skipped {}: {}", name(lane.record), reason, cause);
        } else {
            log.warn("skipped {}: {}: {}", name(lane.record), reason, DeadLetter.reason(cause, LOGGED_CHARS));
        }
        lane.track.lanes.clearInterrupt(lane);
        if (!outputs.isEmpty()) {
            return deliver(lane, outgoing(lane, outputs));
        }
        return after(lane, lane.track.lanes.finish(lane, null));
    }

    private After stop(Lane lane, String why, @Nullable Throwable cause) {
        ConsumerRecord<byte[], byte[]> record = lane.record;
        inbox.add(new Event.Failed(new RecordFailedException(lane.track.partition, record.offset(), why, cause)));
        lane.track.ledger.strand();
        lane.track.lanes.strand(lane);
        return After.OTHER_WORK;
    }

    private After deadLetter(
            Lane lane,
            DeadLetterTopic to,
            String reason,
            @Nullable Throwable cause,
            List<ProducerRecord<byte[], byte[]>> outputs) {
        String topic;
        try {
            topic = UndeliverableOutputs.topic(to, lane.record, cause);
        } catch (IllegalStateException noTopic) {
            return stop(lane, noTopic.getMessage() + ", so that its dead letter can be sent", noTopic);
        }
        DeadLetter letter = DeadLetter.of(topic, lane.record, lane.attempt, reason, cause);
        return deliver(lane, outbox.deadLetter(lane.track, outputs, letter, lane.observed));
    }

    // ---------------------------------------------------------------- deliveries

    private After deliver(Lane lane, OutgoingRecords delivery) {
        if (transactional) {
            return after(lane, lane.track.lanes.finish(lane, delivery));
        }
        return switch (lane.track.lanes.beginDelivery(lane)) {
            case SAME_LANE -> {
                send(delivery);
                yield after(lane, lane.track.lanes.advance(lane));
            }
            case OTHER_WORK -> After.OTHER_WORK;
            case TIMED_OUT -> attemptFailed(lane, timeout(lane));
        };
    }

    /** Sends a delivery, for the first time or again. */
    void send(OutgoingRecords delivery) {
        outbox.send(delivery, this::answered);
    }

    private void answered(OutgoingRecords delivery) {
        Exception failure = delivery.failure;
        if (failure == null) {
            if (delivery.isDeadLetter()) {
                undeliverable.tellDeadLettered(delivery);
            } else {
                counts.emitted.increment();
            }
            delivery.track.lanes.deliveries.finish(delivery.record);
        } else if (delivery.track.lanes.deliveries.discardIfDropped()) {
            log.info("what {} sent came too late and was refused: {}", name(delivery.record), failure.toString());
        } else if (mayArrive(delivery, failure)) {
            Duration delay = DELIVERY_BACKOFF.delay(delivery.attempt, host.random());
            log.warn("sending for {} failed; next in {}", name(delivery.record), ReadableDuration.of(delay), failure);
            inbox.add(new Event.Redeliver(delivery, delay.toNanos()));
        } else {
            refused(delivery, failure);
        }
    }

    /** Whether sending it again may help. */
    private boolean mayArrive(OutgoingRecords delivery, Exception failure) {
        if (AccessRefusal.of(failure) == null) {
            boolean passes = failure instanceof RetriableException || failure instanceof InterruptException;
            return passes && delivery.attempt < DELIVERY_ATTEMPTS;
        }
        long now = host.nanoTime();
        Long since = delivery.refusedSinceNanos;
        if (since == null) {
            delivery.refusedSinceNanos = since = now;
        }
        return now - since < retryAuthorizationNanos;
    }

    private void refused(OutgoingRecords delivery, Exception failure) {
        OutgoingRecords instead = undeliverable.instead(delivery, failure);
        if (instead == null) {
            delivery.track.ledger.strand();
            delivery.track.lanes.deliveries.strand();
        } else if (instead.outputs.isEmpty()) {
            delivery.track.lanes.deliveries.finish(delivery.record);
        } else {
            // Through a worker: this is the producer's own thread, which must not wait for room in its buffer.
            queue.ready(instead);
        }
    }

    /** The delivery that a runner's result waits for a transaction with; null when it is settled otherwise. */
    @Nullable
    OutgoingRecords transacted(Track track, ConsumerRecord<byte[], byte[]> record, AttemptResult result) {
        ObservedAttempt observed = result instanceof AttemptResult.Observed heard ? heard.by() : null;
        AttemptResult own = result instanceof AttemptResult.Observed heard ? heard.result() : result;
        return transactional && own instanceof AttemptResult.Emits(var outputs)
                ? new OutgoingRecords(track, record, outputs, observed)
                : null;
    }

    // ---------------------------------------------------------------- asynchronous handlers

    private After awaitStage(Lane lane, AttemptResult.Pending pending) {
        // Before the stage may complete: whoever ends the wait gives back what is taken here.
        meter.began();
        int ticket = lane.track.lanes.awaitStage(lane, pending);
        if (ticket < 0) {
            meter.ended();
            return After.OTHER_WORK;
        }
        try {
            pending.stage()
                    .whenComplete((outcome, failure) -> completeStage(
                            lane,
                            ticket,
                            failure == null
                                    ? pending.attempt().ended(outcome)
                                    : new AttemptResult.Failed(unwrapped(failure))));
        } catch (RuntimeException failure) {
            completeStage(lane, ticket, new AttemptResult.Failed(failure));
        }
        return After.PERMIT_LEFT;
    }

    private void completeStage(Lane lane, int ticket, AttemptResult result) {
        if (lane.track.lanes.completeStage(lane, ticket, result)) {
            queue.releasePending();
            queue.ready(lane);
        }
    }

    private static Throwable unwrapped(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }

    private static String name(ConsumerRecord<byte[], byte[]> record) {
        return "record " + record.topic() + "-" + record.partition() + "@" + record.offset();
    }
}
