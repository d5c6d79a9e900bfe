package dev.laneway.engine.track;

import dev.laneway.engine.runtime.ObservedAttempt;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/**
 * What one record sends: its handler's outputs, or the record itself as a dead letter. The record is done when all of
 * it is acknowledged. Handed from a worker to the producer's thread to the owner; never used by two at once, but for
 * the acknowledgements.
 */
public final class OutgoingRecords implements ReadyWork, RecordEmission {
    public final Track track;
    public final ConsumerRecord<byte[], byte[]> record;
    /** The record itself, if it is sent away, which is the last of the outputs; null when it is not. */
    public final @Nullable DeadLetter letter;

    private final @Nullable ProducerRecord<byte[], byte[]> sentLetter;
    /** Who listens to the attempt that this is of; null where nobody does. */
    public final @Nullable ObservedAttempt observed;
    /** What has not been acknowledged, in order. */
    public List<ProducerRecord<byte[], byte[]>> outputs;
    /** How often it was sent. */
    public int attempt;

    /** Since when the broker lets it not in; read and written by whoever handles an answer, which is one at a time. */
    public @Nullable Long refusedSinceNanos;

    public final AtomicInteger unanswered = new AtomicInteger();
    public boolean[] refused = {};
    public volatile @Nullable Exception failure;

    /** What the record's handler emitted, where nobody listens. */
    public OutgoingRecords(
            Track track, ConsumerRecord<byte[], byte[]> record, List<ProducerRecord<byte[], byte[]>> outputs) {
        this(track, record, outputs, null);
    }

    /** What the record's handler emitted. */
    public OutgoingRecords(
            Track track,
            ConsumerRecord<byte[], byte[]> record,
            List<ProducerRecord<byte[], byte[]>> outputs,
            @Nullable ObservedAttempt observed) {
        this.track = track;
        this.record = record;
        this.observed = observed;
        this.letter = null;
        this.sentLetter = null;
        this.outputs = outputs;
    }

    /**
     * What the record's handler emitted, and its dead letter behind that.
     *
     * @param group the consumer's, which the letter tells
     */
    public OutgoingRecords(
            Track track,
            List<ProducerRecord<byte[], byte[]>> emitted,
            DeadLetter letter,
            @Nullable String group,
            @Nullable ObservedAttempt observed) {
        this.track = track;
        this.record = letter.record();
        this.observed = observed;
        this.letter = letter;
        this.sentLetter = letter.toRecord(group);
        List<ProducerRecord<byte[], byte[]>> all = new ArrayList<>(emitted);
        all.add(sentLetter);
        this.outputs = all;
    }

    /** What is not acknowledged beside the dead letter. */
    @SuppressWarnings("ReferenceEquality") // A handler may emit a record that is equal to its dead letter.
    public List<ProducerRecord<byte[], byte[]>> withoutLetter() {
        return outputs.stream().filter(output -> output != sentLetter).toList();
    }

    /** Whether the dead letter is not acknowledged. */
    public boolean hasLetter() {
        return letter != null && withoutLetter().size() < outputs.size();
    }

    @Override
    public AssignedRecords held() {
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
    public void send(Producer<byte[], byte[]> by, ProducerRecord<byte[], byte[]> output, Callback answered) {
        if (observed == null) {
            RecordEmission.super.send(by, output, answered);
        } else {
            observed.send(by, record, output, answered);
        }
    }

    @Override
    public OutgoingRecords withoutOutputs() {
        return new OutgoingRecords(track, record, List.of());
    }

    @Override
    public boolean isDeadLetter() {
        return letter != null;
    }

    @Override
    public void ended(boolean written) {
        // Its record ended with its handler; nobody waits for the transaction.
    }

    /** What was refused is sent again, in its order. */
    public void keepRefused() {
        List<ProducerRecord<byte[], byte[]>> kept = new ArrayList<>();
        for (int i = 0; i < outputs.size(); i++) {
            if (refused[i]) {
                kept.add(outputs.get(i));
            }
        }
        outputs = kept;
    }
}
