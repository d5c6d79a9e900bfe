package dev.laneway.engine;

import dev.laneway.PauseReason;
import dev.laneway.engine.track.Chunk;
import dev.laneway.engine.track.Partition;
import org.jspecify.annotations.Nullable;

/** What flow control keeps of one assigned partition, and sees of it at the beginning of a turn. The owner only. */
final class FetchState {
    final Partition partition;
    final IdlePartitionPausing.State idle = new IdlePartitionPausing.State();
    final UnreadRecords.State unread = new UnreadRecords.State();
    /** The most bytes that a poll has returned of it at once. */
    long largestChunkBytes;

    /** Since when it may not fetch, and all that it holds lies in lanes; -1 where that is not so. */
    long starvedSinceNanos = -1;
    /** While it is so: when to spill next, and when health was told why nothing can be. */
    long spillAtNanos;

    long toldAtNanos;

    /** Whether health was told, until then unless it is told again, that its commit's metadata has no room. */
    boolean lacksMapRoom;

    long lacksMapRoomUntilNanos;

    // What was seen in this turn.
    long heldRecords;
    long heldBytes;
    /** How many of the records no free worker can start: those in lanes, or all. 0 where that makes no difference. */
    long blockedRecords;
    /** Whether whoever takes its records would take more: its subscriber waits, or workers that are free would. */
    boolean isWanted;
    /** Why it may not fetch whatever the budgets are; null where they decide. */
    @Nullable
    PauseReason ruledOut;

    /** What was decided: why it may not fetch; null where it may. Of the turn before until that is done. */
    @Nullable
    PauseReason decision;

    FetchState(Partition partition) {
        this.partition = partition;
    }

    /** A poll has returned this of it. */
    void returned(Chunk chunk) {
        largestChunkBytes = Math.max(largestChunkBytes, chunk.bytesLeft);
    }

    /** Whether it needs no low mark to go on: it fetches, or is paused, but not for what it holds. */
    boolean isOpen() {
        return decision == null || decision == PauseReason.AT_END;
    }
}
