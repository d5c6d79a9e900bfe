package dev.laneway.stream;

import dev.laneway.engine.AckHandle;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The place of one delivered record in the log, in one assignment of its partition. When the partition has been given
 * up, nothing that is done with the offset has an effect. Thread-safe.
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

    /** The record's own offset. The commit that says that it is done carries the next one. */
    public long offset() {
        return offset;
    }

    /** What the commit carries when this is the last record that it covers; empty unless the source was told so. */
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
