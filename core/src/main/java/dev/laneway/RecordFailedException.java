package dev.laneway;

import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * A record stopped the consumer: its failure policy or its outcome said stop, or its outputs or dead letter could not
 * be sent. Immutable.
 */
public final class RecordFailedException extends LanewayException {
    private static final long serialVersionUID = 1;

    private final transient TopicPartition partition;
    private final long offset;

    /** Names the record and why it stopped the consumer. */
    public RecordFailedException(TopicPartition partition, long offset, String why, @Nullable Throwable cause) {
        super("record " + partition + "@" + offset + " stopped the consumer: " + why, cause);
        this.partition = partition;
        this.offset = offset;
    }

    /** The record's partition. */
    public TopicPartition partition() {
        return partition;
    }

    /** The record's offset. It is not committed. */
    public long offset() {
        return offset;
    }
}
