package dev.laneway.engine;

import dev.laneway.PauseReason;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which partitions have room for more, and why have the others none? Decided from what was seen in a turn alone: nobody
 * is asked, and nothing changes but each {@link FetchState#decision}. The owner only.
 *
 * <p>Each partition has an equal share of the records. It is paused at a high mark, one poll below its share, and
 * resumed at a low mark, half of that, so that a partition which wants data before the next poll is not paused. Records
 * in lanes do not count for the low mark: no worker that is free can start them, so the partition has nothing to do.
 * When the sum nears the budget (more partitions than shares of a poll's size) all are paused until a quarter is free,
 * or half of what can come free beside records that no worker can start, if that is less.
 *
 * <p>A partition at its high mark whose lanes hold so much that it is below the low mark all the same borrows what
 * others leave idle. What is lent may never come back, as behind a key that is stuck, so it is limited. What any
 * partition lacks of its low mark is kept for it, and a poll for each; who holds more than the low mark keeps off that,
 * too, while anything is lent. A loan is at most {@link #LOAN_PER_LEFT} times what is then left to lend, so that
 * something is left for who comes next, and borrowers come to the same size (the dynamic thresholds of Choudhury and
 * Hahne, for the memory of switches). And nothing is lent when half of the bytes are held.
 *
 * <p>Bytes are kept by admitting only as many partitions as could return their largest chunk so far, the largest record
 * so far, or {@code max.partition.fetch.bytes}, within what is left; one always may when nothing is held, so that a
 * record larger than the budget passes alone. So the budget can be passed only by a poll with a record larger than any
 * before.
 *
 * <p>Where partitions are read independently, those whose subscribers wait come first.
 */
final class FetchAdmission {
    /** So many times what is left to lend one partition may have borrowed. */
    private static final int LOAN_PER_LEFT = 2;

    static final FetchAdmission NONE = new FetchAdmission(FetchBudget.NONE, 0);

    private final FetchBudget budget;
    private final boolean isRoomy;
    private int next;
    private boolean heldBack;
    private boolean refused;
    private long admittedBytes;
    private long wantedBytes;

    private FetchAdmission(FetchBudget budget, int first) {
        this.budget = budget;
        this.isRoomy = budget.isRoomy();
        this.next = first;
    }

    /** @param first the index of the partition that has the first claim to what room there is */
    static FetchAdmission decide(List<FetchState> states, FetchBudget budget, int first) {
        FetchAdmission admission = new FetchAdmission(budget, first);
        int count = states.size();
        boolean wantedFirst = budget.independent() && !admission.isRoomy;
        for (int i = 0; i < (wantedFirst ? 2 * count : count); i++) {
            int at = (first + i) % count;
            FetchState state = states.get(at);
            if (!wantedFirst || state.isWanted == i < count) {
                state.decision = admission.decide(state, at);
            }
        }
        return admission;
    }

    private @Nullable PauseReason decide(FetchState state, int at) {
        boolean hasShareLeft = hasShareLeft(state);
        boolean isFull = budget.isFull() || isKeptForOthers(state);
        heldBack |= (!hasShareLeft || isFull) && state.ruledOut != PauseReason.USER;
        if (state.ruledOut != null) {
            return state.ruledOut;
        }
        if (!hasShareLeft) {
            return PauseReason.SHARE_FULL;
        }
        if (budget.independent() && state.unread.isGivenBack()) {
            return PauseReason.UNREAD;
        }
        if (isFull) {
            noteWanted(state);
            return PauseReason.RECORDS_FULL;
        }
        return isRoomy || admitsChunk(state, at) ? null : PauseReason.BYTES_FULL;
    }

    /** Whether it may hold more, by its share or by what it can borrow. */
    private boolean hasShareLeft(FetchState state) {
        boolean isLow = state.heldRecords - state.blockedRecords <= lowMark();
        return state.heldRecords < budget.highMark()
                ? isLow || state.isOpen() || budget.hasGrown()
                : isLow && canBorrow(state);
    }

    private boolean canBorrow(FetchState state) {
        return state.heldRecords - budget.highMark() <= LOAN_PER_LEFT * budget.lendableRecords()
                && budget.heldBytes() + chunkBytes(state) <= budget.bufferBytes() / 2;
    }

    /** Whether it would take what is kept for partitions that hold less. */
    private boolean isKeptForOthers(FetchState state) {
        return budget.isLent() && state.heldRecords > lowMark() && budget.lendableRecords() < 0;
    }

    /** Whether what a fetch may bring of the partition fits in beside what is held and what others may bring. */
    private boolean admitsChunk(FetchState state, int at) {
        long chunk = chunkBytes(state);
        long mine = state.heldBytes;
        if (budget.independent() && mine > 0 && mine + chunk > budget.bufferBytes() / budget.partitions()) {
            return false;
        }
        long taken = budget.heldBytes() + admittedBytes;
        if (taken == 0 || taken + chunk <= budget.bufferBytes()) {
            admittedBytes += chunk;
            return true;
        }
        noteWanted(state);
        next = refused ? next : at; // It goes first next time, else one that needs much room would never go.
        refused = true;
        return false;
    }

    private void noteWanted(FetchState state) {
        if (state.isWanted && wantedBytes == 0) {
            wantedBytes = chunkBytes(state);
        }
    }

    /** The most bytes that a fetch may bring of the partition: one record at least, however large. */
    private long chunkBytes(FetchState state) {
        return Math.max(budget.chunkBytes(), state.largestChunkBytes);
    }

    FetchBudget budget() {
        return budget;
    }

    /** So many records pause a partition. */
    long highMark() {
        return budget.highMark();
    }

    /** When no more than so many records may still start, it is resumed. */
    long lowMark() {
        return budget.highMark() / 2;
    }

    /** The index of the partition that has the first claim next time. */
    int next() {
        return next;
    }

    /** Whether a partition may not fetch for want of room for records. */
    boolean heldBack() {
        return heldBack;
    }

    /** Whether a partition may not fetch for want of room for bytes. */
    boolean refused() {
        return refused;
    }

    /** What those that were admitted may bring, in bytes; 0 where there is room for a whole poll. */
    long admittedBytes() {
        return admittedBytes;
    }

    /** What the first partition may bring whose subscriber waits, and for which there is no room; in bytes. */
    long wantedBytes() {
        return wantedBytes;
    }
}
