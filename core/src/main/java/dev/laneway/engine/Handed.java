package dev.laneway.engine;

import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;

/** What a stream hands over with the acknowledgement of a record: to be written in one transaction. Immutable. */
final class Handed implements RecordEmission {
    private final Feed feed;
    private final long offset;
    private final List<ProducerRecord<byte[], byte[]>> outputs;
    private final Delivered.Receipt receipt;

    Handed(Feed feed, long offset, List<ProducerRecord<byte[], byte[]>> outputs, Delivered.Receipt receipt) {
        this.feed = feed;
        this.offset = offset;
        this.outputs = outputs;
        this.receipt = receipt;
    }

    /** The record is done all the same, but emits nothing. */
    Handed withoutOutputs() {
        return new Handed(feed, offset, List.of(), receipt);
    }

    @Override
    public AssignedRecords held() {
        return feed;
    }

    @Override
    public long offset() {
        return offset;
    }

    @Override
    public List<ProducerRecord<byte[], byte[]>> outputs() {
        return outputs;
    }

    @Override
    public boolean isDeadLetter() {
        return false;
    }

    @Override
    public void ended(boolean written) {
        if (written) {
            receipt.written();
        } else {
            receipt.dropped();
        }
    }
}
