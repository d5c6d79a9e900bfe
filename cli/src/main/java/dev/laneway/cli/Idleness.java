package dev.laneway.cli;

import dev.laneway.PartitionSnapshot;
import dev.laneway.Snapshot;
import java.time.Duration;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.apache.kafka.common.TopicPartition;

/**
 * Notices that nothing is left to do. While a partition has no owner, as during a rebalance, there may be records that
 * this process does not know. Used by one thread.
 */
final class Idleness {
    private final BooleanSupplier sharedOut;
    private long lastBusy = System.nanoTime();
    private long lastAttempts;
    private Set<TopicPartition> lastOwned = Set.of();
    private boolean nobodysIsLeft;

    /** @param sharedOut asks whether each partition has an owner; asked again only when what is owned here changes */
    Idleness(BooleanSupplier sharedOut) {
        this.sharedOut = sharedOut;
    }

    /** Whether there has been nothing to do for this long. */
    boolean lasts(Snapshot snapshot, long attempts, Duration limit) {
        Set<TopicPartition> owned =
                snapshot.partitions().stream().map(PartitionSnapshot::partition).collect(Collectors.toSet());
        if (!owned.equals(lastOwned) || owned.isEmpty()) {
            lastOwned = owned;
            nobodysIsLeft = false;
        }
        boolean done = snapshot.partitions().stream()
                .allMatch(partition -> partition.held() == 0 && partition.lag().orElse(1) == 0);
        boolean before = nobodysIsLeft;
        if (done && !nobodysIsLeft && !owned.isEmpty()) {
            nobodysIsLeft = sharedOut.getAsBoolean();
        }
        if (!done || !before || attempts != lastAttempts) {
            lastBusy = System.nanoTime();
            lastAttempts = attempts;
            return false;
        }
        return System.nanoTime() - lastBusy >= limit.toNanos();
    }
}
