package dev.laneway.engine;

import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * What the owner holds for one assigned partition; what it shares with the workers is the {@link Track}. The owner
 * only.
 */
final class Partition {
    final TopicPartition id;
    final Track track;
    final Inspection inspection;
    /** What the broker has confirmed; null before the first commit of this assignment. */
    @Nullable
    Progress committed;
    /** What is fetched next, as far as polls have told. */
    long position;
    /** Whether flow control has paused fetching. */
    boolean paused;
    /** Whether the user has. */
    boolean pausedByUser;
    /** The most bytes that a poll has returned of it. */
    long largestChunkBytes;
    /** The lowest offset that was seen started and unfinished, and since when. */
    long stuckOffset = -1;

    long stuckSinceNanos;

    Partition(TopicPartition id, Track track, Inspection inspection, long position) {
        this.id = id;
        this.track = track;
        this.inspection = inspection;
        this.position = position;
    }

    /** Takes what a poll returned. */
    void append(Chunk chunk, long next) {
        largestChunkBytes = Math.max(largestChunkBytes, chunk.bytesLeft);
        position = next;
        track.append(chunk, next);
    }
}
