package dev.laneway.engine.start;

import dev.laneway.engine.offsets.DecodedMetadata;
import dev.laneway.engine.track.Partition;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** One partition whose start is being found: what is known of it so far. The owner only. */
public final class PartitionStart {
    /** Makes the partition of a new assignment. */
    public interface Maker {
        /**
         * Makes it.
         *
         * @param start the offset of the first record
         * @param done what an earlier owner has done beyond it
         */
        Partition make(TopicPartition id, long start, DecodedMetadata.@Nullable Map done);
    }

    final TopicPartition id;
    /** Whether it is this member's; else it is found for the member that has it, see {@link AddedPartition}. */
    final boolean own;

    final long sinceNanos;
    /** How many questions about it had no answer. */
    int unanswered;
    /** Whether the client has been given a position for it, so that it looks for none by itself. */
    boolean held;
    /** Since when it has been refused; null when it is not. */
    @Nullable
    Long refusedSinceNanos;
    /** What the group has committed; null when it has nothing, or before that is known. */
    org.apache.kafka.clients.consumer.@Nullable OffsetAndMetadata committed;
    /** The map in it. */
    DecodedMetadata.@Nullable Map map;
    /** Where its log ended before its records were asked for by time. */
    long end;
    /** Whether it starts by the verdict about its topic, which holds for a while only. */
    boolean judged;
    /** Where it starts; -1 as long as that is not known. */
    long offset = -1;

    PartitionStart(TopicPartition id, boolean own, long sinceNanos) {
        this.id = id;
        this.own = own;
        this.sinceNanos = sinceNanos;
    }

    @Override
    public String toString() {
        return id.toString();
    }
}
