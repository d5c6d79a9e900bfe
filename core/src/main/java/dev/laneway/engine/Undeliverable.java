package dev.laneway.engine;

import dev.laneway.FailurePolicy;
import dev.laneway.RecordFailedException;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What becomes of a record whose outputs the broker refuses for good. Thread-safe. */
final class Undeliverable {
    private static final Logger log = LoggerFactory.getLogger(Undeliverable.class);

    private final FailurePolicy policy;
    private final Outbox outbox;
    private final Inbox inbox;
    private final Counts counts;

    Undeliverable(FailurePolicy policy, Outbox outbox, Inbox inbox, Counts counts) {
        this.policy = policy;
        this.outbox = outbox;
        this.inbox = inbox;
        this.counts = counts;
    }

    /** As {@link #instead(Delivery, Exception)}, of whatever a transaction was to write. */
    @Nullable
    Emission instead(Emission refused, Exception failure) {
        return switch (refused) {
            case Delivery delivery -> instead(delivery, failure);
            case Handed handed -> instead(handed, failure);
        };
    }

    /** A stream's: it has no dead letters, since the record itself is not kept. */
    private @Nullable Emission instead(Handed refused, Exception failure) {
        if (policy.forFailure(failure).last() instanceof FailurePolicy.Last.Skip) {
            counts.skipped.increment();
            log.warn(
                    "skipped what {}@{} emits: it cannot be sent", refused.held().partition, refused.offset(), failure);
            return refused.withoutOutputs();
        }
        stop(refused, failure);
        return null;
    }

    /**
     * By the failure policy: what is sent instead, which is the record's dead letter, or nothing when the record is
     * skipped. Null when the consumer stops.
     */
    @Nullable
    Delivery instead(Delivery refused, Exception failure) {
        ConsumerRecord<byte[], byte[]> record = refused.record;
        String name = refused.track.partition + "@" + record.offset();
        return switch (refused.deadLetter
                ? new FailurePolicy.Last.Stop()
                : policy.forFailure(failure).last()) {
            case FailurePolicy.Last.DeadLetter(String topic) -> {
                log.warn("what record {} emits cannot be sent; it goes to {}", name, topic, failure);
                yield new Delivery(
                        refused.track,
                        record,
                        true,
                        List.of(outbox.deadLetter(
                                topic,
                                record,
                                Math.max(1, refused.attempt),
                                String.valueOf(failure.getMessage()),
                                failure)));
            }
            case FailurePolicy.Last.Skip skip -> {
                refused.track.ledger.reject(record);
                counts.skipped.increment();
                log.warn("skipped record {}: what it emits cannot be sent", name, failure);
                yield new Delivery(refused.track, record, false, List.of());
            }
            case FailurePolicy.Last.Stop stop -> {
                stop(refused, failure);
                yield null;
            }
        };
    }

    private void stop(Emission refused, Exception failure) {
        Refusal refusal = Refusal.of(failure);
        inbox.add(new Event.Failed(new RecordFailedException(
                refused.held().partition,
                refused.offset(),
                (refused.isDeadLetter() ? "its dead letter" : "what it emits") + " cannot be sent: "
                        + (refusal == null ? "mend the topic or the producer's configuration" : refusal.whileSending()),
                failure)));
    }
}
