package dev.laneway.engine.track;

import dev.laneway.engine.runtime.EventCounts;
import dev.laneway.engine.runtime.Guard;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Records of a track that are done by their handler, and whose outputs or dead letter are not acknowledged. Takes the
 * track's guard, but where it must be called with it.
 */
public final class Deliveries {
    private final Guard guard;
    private final TrackGate gate;
    private final TrackLedger ledger;
    private final EventCounts counts;
    private final Runnable ended;
    private int count;

    /** @param ended called, under the guard, when there is one less */
    Deliveries(Guard guard, TrackGate gate, TrackLedger ledger, EventCounts counts, Runnable ended) {
        this.guard = guard;
        this.gate = gate;
        this.ledger = ledger;
        this.counts = counts;
        this.ended = ended;
    }

    /** One more; with the guard. */
    void begin() {
        count++;
    }

    /** With the guard. */
    int count() {
        return count;
    }

    /** What a record sent has been acknowledged, or given up by policy: the record is done. */
    public void finish(ConsumerRecord<byte[], byte[]> record) {
        try (var _ = guard.enter()) {
            count--;
            if (gate.isDropped()) {
                counts.late.increment();
            } else {
                ledger.done(record);
            }
            ended.run();
        }
    }

    /** What a record sent was refused. True when the track has been dropped: then its next owner sends it. */
    public boolean discardIfDropped() {
        try (var _ = guard.enter()) {
            if (gate.isDropped()) {
                count--;
                counts.late.increment();
                ended.run();
            }
            return gate.isDropped();
        }
    }

    /** What a record sent can never be acknowledged, and the consumer stops. */
    public void strand() {
        try (var _ = guard.enter()) {
            count--;
            ended.run();
        }
    }
}
