package dev.laneway.engine;

import dev.laneway.engine.track.Partition;
import dev.laneway.engine.track.TrackLedger;
import java.util.List;
import org.apache.kafka.clients.consumer.Consumer;

/**
 * Gives records back to the log that nobody takes, when another partition would take more and has no room. They are
 * those of a partition that is paused, that waits for its next record's time, or whose subscriber asks for nothing.
 * They are fetched again when it goes on, or somebody reads what was kept of them. The owner only.
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

    /**
     * Gives back until so much is free, or until no partition has more than it may keep.
     *
     * @param keepRecords what each partition may keep, and {@code keepBytes} the same in bytes
     * @param freeRecords how many records must go, and {@code freeBytes} the same in bytes
     */
    void makeRoom(
            List<FetchState> states,
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
        for (FetchState state : states) {
            TrackLedger ledger = state.partition.held.ledger;
            long heldRecords = ledger.records();
            note(state.unread, heldRecords, nowNanos);
            if (state.isWanted || nowNanos - state.unread.sinceNanos < UNREAD_NANOS) {
                continue;
            }
            long heldBytes = ledger.bytes();
            if ((records > 0 || bytes > 0) && (heldRecords > keepRecords || heldBytes > keepBytes)) {
                giveBack(state, keepRecords, keepBytes);
                records -= heldRecords - ledger.records();
                bytes -= heldBytes - ledger.bytes();
            } else if (heldRecords <= keepRecords && heldBytes <= keepBytes) {
                state.unread.keptRecords = heldRecords; // Nor is more fetched of it: somebody needs the room.
            }
        }
    }

    /** Notes since when nobody has taken a record of a partition while others waited for room. */
    private void note(State unread, long heldRecords, long nowNanos) {
        if (heldRecords != unread.seenRecords || unread.sinceNanos - waitingSinceNanos < 0) {
            unread.seenRecords = heldRecords;
            unread.sinceNanos = nowNanos;
        }
    }

    private void giveBack(FetchState state, long keepRecords, long keepBytes) {
        Partition partition = state.partition;
        // What lies in lanes has left the cursor's path, and is not given back.
        long from = partition.held.giveBack(Math.max(0, keepRecords - partition.recordsInLanes()), keepBytes);
        if (from >= 0) {
            partition.readsAgainFrom(from);
            state.idle.forgetEnd();
            state.unread.keptRecords = partition.held.ledger.records();
            state.unread.seenRecords = state.unread.keptRecords;
            consumer.seek(partition.id, from);
        }
    }

    /** What is known of one partition. */
    static final class State {
        private static final long NOTHING = -1;
        /** How many records it has kept when others were given back; {@link #NOTHING} when that makes no difference. */
        private long keptRecords = NOTHING;
        /** How many records it held when that was looked at, and since when it has held as many. */
        private long seenRecords = NOTHING;

        private long sinceNanos;

        /** Whether it fetches nothing, since what was given back of it is not needed yet. */
        boolean isGivenBack() {
            return keptRecords != NOTHING;
        }

        /** Once a turn: it is needed when somebody waits for more, or has taken some. */
        void look(FetchState seen) {
            if (seen.isWanted || seen.heldRecords != keptRecords) {
                keptRecords = NOTHING;
            }
        }
    }
}
