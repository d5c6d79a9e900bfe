package dev.laneway.stream;

import dev.laneway.engine.handle.AckHandle;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The offset of one delivered record, in one assignment of its partition. After the partition was given up,
 * acknowledging or committing it has no effect. Thread-safe.
 */
public final class Offset implements Acknowledgeable {
    private final AckHandle delivered;
    private final long offset;
    private final String metadata;

    Offset(AckHandle delivered, long offset, String metadata) {
        this.delivered = delivered;
        this.offset = offset;
        this.metadata = metadata;
    }

    /** The record's partition. */
    public TopicPartition partition() {
        return delivered.partition();
    }

    /** The record's own offset. A commit that covers the record has the next one. */
    public long offset() {
        return offset;
    }

    /**
     * The commit's metadata if this is the last record that it covers; empty unless the source has a function for it.
     */
    public String metadata() {
        return metadata;
    }

    @Override
    public void acknowledge() {
        delivered.done(offset, metadata);
    }

    @Override
    public void acknowledgeUpTo() {
        delivered.doneUpTo(offset, metadata);
    }

    @Override
    public CompletionStage<@Nullable Void> commit() {
        acknowledge();
        return delivered.commit();
    }

    /** Which assignment of the partition it belongs to. */
    AckHandle delivered() {
        return delivered;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Offset that && offset == that.offset && delivered.equals(that.delivered);
    }

    @Override
    public int hashCode() {
        return Objects.hash(delivered, offset);
    }

    @Override
    public String toString() {
        return partition() + "@" + offset;
    }
}
