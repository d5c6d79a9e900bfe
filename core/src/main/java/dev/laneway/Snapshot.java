package dev.laneway;

import java.time.Duration;
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
 * @param age how long ago the thread that talks to Kafka began its latest turn: so old is what it alone finds out, the
 *     positions and confirmed commits; the ends of logs in {@code lag} may be a few seconds older. All else is of now.
 *     Up to about a second while it waits for records, more while something keeps it, such as a rebalance listener;
 *     zero after the end
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
        long bufferBytes,
        Duration age) {
    /** Copies the list. */
    public Snapshot {
        partitions = List.copyOf(partitions);
    }
}
