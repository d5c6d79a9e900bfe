package dev.laneway.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/**
 * What one record sends: its handler's outputs, or the record itself as a dead letter. The record is done when all of
 * it is acknowledged. Handed from a worker to the producer's thread to the owner; never used by two at once, but for
 * the acknowledgements.
 */
final class Delivery implements Job, Emission {
    final Track track;
    final ConsumerRecord<byte[], byte[]> record;
    final boolean deadLetter;
    /** What has not been acknowledged, in order. */
    List<ProducerRecord<byte[], byte[]>> outputs;
    /** How often it was sent. */
    int attempt;

    /** Since when the broker lets it not in; read and written by whoever handles an answer, which is one at a time. */
    @Nullable
    Long refusedSinceNanos;

    final AtomicInteger unanswered = new AtomicInteger();
    boolean[] refused = {};
    volatile @Nullable Exception failure;

    Delivery(
            Track track,
            ConsumerRecord<byte[], byte[]> record,
            boolean deadLetter,
            List<ProducerRecord<byte[], byte[]>> outputs) {
        this.track = track;
        this.record = record;
        this.deadLetter = deadLetter;
        this.outputs = outputs;
    }

    @Override
    public Held held() {
        return track;
    }

    @Override
    public long offset() {
        return record.offset();
    }

    @Override
    public List<ProducerRecord<byte[], byte[]>> outputs() {
        return outputs;
    }

    @Override
    public boolean isDeadLetter() {
        return deadLetter;
    }

    @Override
    public void ended(boolean written) {
        // Its record ended with its handler; nobody waits for the transaction.
    }

    /** What was refused is sent again, in its order. */
    void keepRefused() {
        List<ProducerRecord<byte[], byte[]>> kept = new ArrayList<>();
        for (int i = 0; i < outputs.size(); i++) {
            if (refused[i]) {
                kept.add(outputs.get(i));
            }
        }
        outputs = kept;
    }
}
