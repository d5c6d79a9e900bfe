package dev.laneway;

import java.time.Duration;
import java.util.List;

/**
 * The consumer at one moment, all members together. Immutable.
 *
 * @param state its state
 * @param partitions the assigned partitions, ordered by topic and number
 * @param counters what happened since the start
 * @param utilisation how busy the workers were
 * @param runningWorkers workers that run a handler, and asynchronous handlers that have not completed
 * @param held records fetched and not done
 * @param heldBytes their keys and values, in bytes
 * @param bufferRecords the present budget for {@code held}
 * @param bufferBytes the budget for {@code heldBytes}
 * @param age how long ago the owner thread began its latest turn: positions and confirmed commits are that old, ends of
 *     logs in {@code lag} a few seconds older, everything else is current. Usually up to a second, more if something
 *     holds the thread up, such as a rebalance listener; zero after the end
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
