package dev.laneway.engine.handle;

import dev.laneway.engine.track.AssignedRecords;
import dev.laneway.engine.track.RecordEmission;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;

/** What a stream hands over with the acknowledgement of a record: to be written in one transaction. Immutable. */
final class StreamEmission implements RecordEmission {
    private final StreamFeed feed;
    private final long offset;
    private final List<ProducerRecord<byte[], byte[]>> outputs;
    private final AckHandle.Receipt receipt;

    StreamEmission(
            StreamFeed feed, long offset, List<ProducerRecord<byte[], byte[]>> outputs, AckHandle.Receipt receipt) {
        this.feed = feed;
        this.offset = offset;
        this.outputs = outputs;
        this.receipt = receipt;
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
    public StreamEmission withoutOutputs() {
        return new StreamEmission(feed, offset, List.of(), receipt);
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
