package dev.laneway;

import java.util.List;

/**
 * The whole consumer at a moment, all members together. Immutable.
 *
 * @param state where it is in its life
 * @param partitions the assigned partitions, ordered by topic and number
 * @param counters what happened since the start
 * @param utilisation where the workers' time went
 * @param runningWorkers workers with work in hand, and asynchronous handlers that have not completed
 * @param held records fetched and not done
 * @param heldBytes their keys and values, in bytes
 * @param bufferRecords the budget for {@code held}, as far as it has grown
 * @param bufferBytes the budget for {@code heldBytes}
 */
public record Snapshot(
        State state,
        List<PartitionSnapshot> partitions,
        Counters counters,
        Utilisation utilisation,
        int runningWorkers,
        long held,
        long heldBytes,
        long bufferRecords,
        long bufferBytes) {
    /** Copies the list. */
    public Snapshot {
        partitions = List.copyOf(partitions);
    }
}
