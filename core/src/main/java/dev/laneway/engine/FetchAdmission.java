package dev.laneway.engine;

import dev.laneway.PauseReason;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which partitions have room for more, and why have the others none? Decided from what was seen in a turn alone: nobody
 * is asked, and nothing changes but each {@link FetchState#decision}. The owner only.
 *
 * <p>Each partition has an equal share of the records. It is paused at a high mark, one poll below its share, and
 * resumed at half of that, so that a partition which wants data before the next poll is not paused. When the sum nears
 * the budget (more partitions than shares of a poll's size) all are paused until a quarter is free. Bytes are kept by
 * admitting only as many partitions as could return their largest chunk so far, the largest record so far, or
 * {@code max.partition.fetch.bytes}, within what is left; one always may when nothing is held, so that a record larger
 * than the budget passes alone. So the budget can be passed only by a poll with a record larger than any before.
 *
 * <p>Where partitions are read independently, those whose subscribers wait come first.
 */
final class FetchAdmission {
    static final FetchAdmission NONE = new FetchAdmission(FetchBudget.NONE, 0);

    private final FetchBudget budget;
    private final long highMark;
    private final boolean isRoomy;
    private int next;
    private boolean heldBack;
    private boolean refused;
    private long admittedBytes;
    private long wantedBytes;

    private FetchAdmission(FetchBudget budget, int first) {
        this.budget = budget;
        this.highMark = budget.highMark();
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
        long own = state.heldRecords;
        boolean hasShareLeft = own < highMark && (own <= highMark / 2 || state.isOpen() || budget.hasGrown());
        heldBack |= (!hasShareLeft || budget.isFull()) && state.ruledOut != PauseReason.USER;
        if (state.ruledOut != null) {
            return state.ruledOut;
        }
        if (!hasShareLeft) {
            return PauseReason.SHARE_FULL;
        }
        if (budget.independent() && state.unread.isGivenBack()) {
            return PauseReason.UNREAD;
        }
        if (budget.isFull()) {
            noteWanted(state);
            return PauseReason.RECORDS_FULL;
        }
        return isRoomy || admitsChunk(state, at) ? null : PauseReason.BYTES_FULL;
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

    /** So many records pause a partition; half of that resumes it. */
    long highMark() {
        return highMark;
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
