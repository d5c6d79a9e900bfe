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
                Refusal refusal = Refusal.of(failure);
                inbox.add(new Event.Failed(new RecordFailedException(
                        refused.track.partition,
                        record.offset(),
                        (refused.deadLetter ? "its dead letter" : "what it emits") + " cannot be sent: "
                                + (refusal == null
                                        ? "mend the topic or the producer's configuration"
                                        : refusal.whileSending()),
                        failure)));
                yield null;
            }
        };
    }
}
