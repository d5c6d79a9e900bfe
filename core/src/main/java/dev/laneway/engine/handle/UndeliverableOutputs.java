package dev.laneway.engine.handle;

import dev.laneway.DeadLetterTopic;
import dev.laneway.FailurePolicy;
import dev.laneway.RecordFailedException;
import dev.laneway.engine.config.AccessRefusal;
import dev.laneway.engine.runtime.EventCounts;
import dev.laneway.engine.runtime.Host;
import dev.laneway.engine.runtime.LogLimiter;
import dev.laneway.engine.track.DeadLetter;
import dev.laneway.engine.track.Event;
import dev.laneway.engine.track.Inbox;
import dev.laneway.engine.track.OutgoingRecords;
import dev.laneway.engine.track.RecordEmission;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What becomes of a record whose outputs or dead letter the broker refuses for good, and what is told of dead letters
 * that arrived. Thread-safe.
 */
public final class UndeliverableOutputs {
    private static final int LOGGED_CHARS = 300;
    private static final Logger log = LoggerFactory.getLogger(UndeliverableOutputs.class);

    private final LogLimiter letters;
    private final FailurePolicy policy;
    private final Outbox outbox;
    private final Inbox inbox;
    private final EventCounts counts;

    public UndeliverableOutputs(Host host, FailurePolicy policy, Outbox outbox, Inbox inbox, EventCounts counts) {
        this.letters = new LogLimiter(host);
        this.policy = policy;
        this.outbox = outbox;
        this.inbox = inbox;
        this.counts = counts;
    }

    /** A dead letter has arrived. What it says stands in its headers, so the log names one a second. */
    public void tellDeadLettered(OutgoingRecords delivered) {
        DeadLetter letter = delivered.letter;
        counts.deadLettered(delivered.track.partition, delivered.offset(), letter == null ? "" : letter.topic());
        long withheld = letter == null ? -1 : letters.withheld();
        if (letter != null && withheld >= 0) {
            log.warn(
                    "dead-lettered record {}@{} to {} after attempt {}: {} ({} more dead letters were not logged)",
                    delivered.track.partition,
                    delivered.offset(),
                    letter.topic(),
                    letter.attempts(),
                    DeadLetter.cut(letter.reason(), LOGGED_CHARS),
                    withheld,
                    letter.cause());
        }
    }

    /** As {@link #instead(OutgoingRecords, Exception)}, of whatever a transaction was to write. */
    public @Nullable RecordEmission instead(RecordEmission refused, Exception failure) {
        if (refused instanceof OutgoingRecords delivery) {
            return instead(delivery, failure);
        }
        // A stream's: it has no dead letters, since the record itself is not kept.
        if (policy.forFailure(failure).last() instanceof FailurePolicy.Last.Skip && SendFault.isOf(failure)) {
            counts.skipped(refused.held().partition, refused.offset(), failure);
            log.warn(
                    "skipped what {}@{} emits: it cannot be sent", refused.held().partition, refused.offset(), failure);
            return refused.withoutOutputs();
        }
        stop(refused, failure);
        return null;
    }

    /**
     * What is sent instead: of a dead letter that is too large a smaller one; else by the failure policy the record's
     * dead letter, or nothing when the record is skipped. Null when the consumer stops.
     */
    @Nullable
    OutgoingRecords instead(OutgoingRecords refused, Exception failure) {
        DeadLetter letter = refused.hasLetter() ? refused.letter : null;
        if (letter != null && OversizedOutput.is(failure)) {
            DeadLetter smaller = letter.smaller();
            if (smaller != null) {
                log.warn(
                        "the dead letter of record {} is too large for {}, it is sent again with less ({}): {}",
                        name(refused),
                        letter.topic(),
                        smaller.size() == DeadLetter.Size.BRIEF ? "no stack" : "no value",
                        DeadLetter.message(failure));
                return outbox.deadLetter(refused.track, refused.withoutLetter(), smaller, refused.observed);
            }
        }
        return switch (policy.forFailure(failure).last()) {
            case FailurePolicy.Last.DeadLetter(DeadLetterTopic to) -> deadLetter(refused, letter, to, failure);
            case FailurePolicy.Last.Skip skip
            when !SendFault.isOf(failure) -> {
                stop(refused, failure); // The record is not at fault: the next one would fail as well.
                yield null;
            }
            case FailurePolicy.Last.Skip skip -> {
                refused.track.ledger.reject(refused.record);
                counts.skipped(refused.track.partition, refused.offset(), failure);
                log.warn("skipped record {}: {} cannot be sent", name(refused), what(refused), failure);
                yield refused.withoutOutputs();
            }
            case FailurePolicy.Last.Stop stop -> {
                stop(refused, failure);
                yield null;
            }
        };
    }

    private @Nullable OutgoingRecords deadLetter(
            OutgoingRecords refused, @Nullable DeadLetter letter, DeadLetterTopic to, Exception failure) {
        String topic;
        try {
            topic = topic(to, refused.record, failure);
        } catch (RuntimeException noTopic) {
            stop(refused, noTopic);
            return null;
        }
        if (refused.isDeadLetter()
                && (letter == null || letter.redirected() || letter.topic().equals(topic))) {
            stop(refused, failure); // It would be refused again, or was sent away already.
            return null;
        }
        log.warn("record {} goes to {}: {} cannot be sent", name(refused), topic, what(refused), failure);
        if (letter != null) {
            return outbox.deadLetter(refused.track, refused.withoutLetter(), letter.redirect(topic), refused.observed);
        }
        return outbox.deadLetter(
                refused.track,
                List.of(),
                DeadLetter.of(
                        topic, refused.record, Math.max(1, refused.attempt), DeadLetter.message(failure), failure),
                refused.observed);
    }

    /**
     * Asks the user's function for the topic of a dead letter.
     *
     * @throws IllegalStateException if it gives none
     */
    static String topic(DeadLetterTopic to, ConsumerRecord<byte[], byte[]> record, @Nullable Throwable failure) {
        @Nullable String topic;
        try {
            topic = to.topicFor(record, Optional.ofNullable(failure));
        } catch (Throwable thrown) {
            throw new IllegalStateException("thenDeadLetter's function failed: mend it", thrown);
        }
        if (topic == null || topic.isBlank()) {
            throw new IllegalStateException("thenDeadLetter's function gave "
                    + (topic == null ? "null" : "a blank name") + " but must name a topic: mend it");
        }
        return topic;
    }

    private static String name(OutgoingRecords delivery) {
        return delivery.track.partition + "@" + delivery.offset();
    }

    private static String what(RecordEmission refused) {
        return refused.isDeadLetter() ? "its dead letter" : "what it emits";
    }

    private void stop(RecordEmission refused, Exception failure) {
        inbox.add(new Event.Failed(new RecordFailedException(
                refused.held().partition,
                refused.offset(),
                what(refused) + " cannot be sent: " + remedy(failure),
                failure)));
    }

    private static String remedy(Exception failure) {
        AccessRefusal refusal = AccessRefusal.of(failure);
        if (refusal != null) {
            return refusal.whileSending();
        }
        return OversizedOutput.is(failure)
                ? String.valueOf(failure.getMessage())
                : "mend the topic or the producer's configuration";
    }
}
