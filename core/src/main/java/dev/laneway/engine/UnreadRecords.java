package dev.laneway.engine;

import java.util.List;
import org.apache.kafka.clients.consumer.Consumer;

/**
 * Gives records back to the log that nobody reads, when another partition's subscriber waits for the room that they
 * take. They are fetched again when somebody reads what was kept of them. The owner only.
 *
 * <p>Each partition may keep half of its equal share, so that all together keep half of the budgets. A partition counts
 * as unread when nobody has taken a record of it for {@link #UNREAD_NANOS}; that also bounds what is fetched twice.
 */
final class UnreadRecords {
    private static final long UNREAD_NANOS = 1_000_000_000;
    private static final long NONE = Long.MIN_VALUE;

    private final Consumer<byte[], byte[]> consumer;
    /** Since when somebody has waited for room without a break. */
    private long waitingSinceNanos = NONE;

    UnreadRecords(Consumer<byte[], byte[]> consumer) {
        this.consumer = consumer;
    }

    /** Nobody waits for room. */
    void rest() {
        waitingSinceNanos = NONE;
    }

    /** Whether the partition stays closed, since what was given back of it is not needed yet. */
    static boolean isGivenBack(Partition partition) {
        if (partition.keptRecords >= 0
                && (partition.held.wantsMore() || partition.held.ledger.records() != partition.keptRecords)) {
            partition.keptRecords = -1;
        }
        return partition.keptRecords >= 0;
    }

    /**
     * Gives back until so much is free, or until no partition has more than it may keep.
     *
     * @param keepRecords what each partition may keep, and {@code keepBytes} the same in bytes
     * @param freeRecords how many records must go, and {@code freeBytes} the same in bytes
     */
    void makeRoom(
            List<Partition> partitions,
            long keepRecords,
            long keepBytes,
            long freeRecords,
            long freeBytes,
            long nowNanos) {
        if (waitingSinceNanos == NONE) {
            waitingSinceNanos = nowNanos;
        }
        long records = freeRecords;
        long bytes = freeBytes;
        for (Partition partition : partitions) {
            TrackLedger ledger = partition.held.ledger;
            long heldRecords = ledger.records();
            if (heldRecords != partition.unreadRecords || partition.unreadSinceNanos - waitingSinceNanos < 0) {
                partition.unreadRecords = heldRecords;
                partition.unreadSinceNanos = nowNanos;
            }
            if (partition.wanted || nowNanos - partition.unreadSinceNanos < UNREAD_NANOS) {
                continue;
            }
            long heldBytes = ledger.bytes();
            if ((records > 0 || bytes > 0) && (heldRecords > keepRecords || heldBytes > keepBytes)) {
                giveBack(partition, keepRecords, keepBytes);
                records -= heldRecords - ledger.records();
                bytes -= heldBytes - ledger.bytes();
            } else if (heldRecords <= keepRecords && heldBytes <= keepBytes) {
                partition.keptRecords = heldRecords; // Nor is more fetched of it: somebody needs the room.
            }
        }
    }

    private void giveBack(Partition partition, long keepRecords, long keepBytes) {
        long from = partition.held.giveBack(keepRecords, keepBytes);
        if (from >= 0) {
            partition.position = from;
            partition.askedAt = -1;
            partition.keptRecords = partition.held.ledger.records();
            partition.unreadRecords = partition.keptRecords;
            consumer.seek(partition.id, from);
        }
    }
}
