package dev.laneway.engine.track;

import java.util.List;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;

/** What one done record emits, until the transaction that says that it is done has written it. */
public interface RecordEmission {
    /** The assignment that its record belongs to. */
    AssignedRecords held();

    /** The record's offset. */
    long offset();

    /** What is written, in order. */
    List<ProducerRecord<byte[], byte[]>> outputs();

    /** The same record, which is done without emitting anything. */
    RecordEmission withoutOutputs();

    /** Sends one of its outputs, in what observers of its attempt bind around that. */
    default void send(Producer<byte[], byte[]> by, ProducerRecord<byte[], byte[]> output, Callback answered) {
        var _ = by.send(output, answered); // The callback tells what the future would.
    }

    /** Whether it is the record itself that is written, as a dead letter. */
    boolean isDeadLetter();

    /** It is written, or else dropped: then the next owner has its record again. The owner only, under no guard. */
    void ended(boolean written);

    /** Keys and values. */
    default long bytes() {
        long bytes = 0;
        for (ProducerRecord<byte[], byte[]> output : outputs()) {
            bytes += output.key() == null ? 0 : output.key().length;
            bytes += output.value() == null ? 0 : output.value().length;
        }
        return bytes;
    }
}
